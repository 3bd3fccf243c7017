"""Rules of the local App Store, which answers as the App Store's servers do."""

from . import Rule

RULES = [
    Rule(
        "what happens after something was asked for is signed later",
        "Sources/StorekeeperSimulator/AppStore/SimulatedAppStore.swift",
        "ServedInstantsTests/order",
        expression="world.now.adding(milliseconds: 1)",
        instead="world.now",
    ),
    Rule(
        "what is asked for is signed anew",
        "Sources/StorekeeperSimulator/Issuing/Issuer.swift",
        "ServedInstantsTests/signedAnew",
        expression="world.records[place]\n        if let signedAt { record.signedAt = «max(record.signedAt, signedAt)» }",
        instead="record.signedAt",
    ),
    Rule(
        "requests beyond the rate are refused",
        "Sources/StorekeeperServer/Gate/RequestRate.swift",
        "RequestRateTests/law",
        expression="bucket.tokens < 1",
        instead="bucket.tokens < -1e9",
    ),
    Rule(
        "who waits as told is answered",
        "Sources/StorekeeperServer/Gate/RequestRate.swift",
        "RequestRateTests/patience",
        expression="((1 - bucket.tokens) / rate * 1000).rounded(.up)",
        instead="((1 - bucket.tokens) / rate * 900).rounded(.down)",
    ),
    Rule(
        "the sandbox sends once",
        "Sources/StorekeeperServer/LocalAppStore.swift",
        "NotificationLogTests/environments",
        expression="retries: configuration.retriesNotifications ?? («scenario.environment == .production»)",
        instead="true",
    ),
    Rule(
        "an attempt waits its hours after the one before",
        "Sources/StorekeeperServer/Notifications/NotificationLog.swift",
        "NotificationLogTests/retries",
        expression="Self.retryHours[failures - 1]",
        instead="Self.retryHours[0]",
    ),
    Rule(
        "what was there before is not sent",
        "Sources/StorekeeperServer/Notifications/NotificationOutbox.swift",
        "NotificationLogTests/before",
        expression="log.popNext() != nil",
        instead="false",
    ),
    Rule(
        "a page's token belongs to its question",
        "Sources/StorekeeperServer/API/PageToken.swift",
        "PageTokenTests/roundTrip",
        expression="subject == other.subject && query == other.query",
        instead="subject == other.subject",
    ),
    Rule(
        "a page from elsewhere cannot name this host",
        "Sources/StorekeeperServer/HTTP/LocalAppStoreServer.swift",
        "LocalAppStoreServerTests/foreignPages",
        expression="!LocalAppStoreServer.Address(host: name).isLoopback",
        instead="false",
    ),
    Rule(
        "what a form can send is refused",
        "Sources/StorekeeperServer/HTTP/LocalAppStoreServer.swift",
        "LocalAppStoreServerTests/foreignPages",
        expression="request.method != .get",
        instead="false",
    ),
]
