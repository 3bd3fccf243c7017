"""Rules of the order in which a notification is written, handled and acknowledged."""

from . import Rule

RECEIVING = "Sources/StorekeeperAppStore/Receiving/"

RULES = [
    Rule(
        "a notification that the vault has not written is not acknowledged",
        RECEIVING + "NotificationReply.swift",
        "NotificationReceiverTests/vaultFails",
        expression="case .failed: «503»",
        instead="200",
    ),
    Rule(
        "a notification is processed only after the app's handler has succeeded",
        RECEIVING + "NotificationReceiver.swift",
        "NotificationHandlerTests",
        expression="try await pool.receive(facts, ofNotifications: «[]»)",
        instead="uuids",
    ),
    Rule(
        "a second copy of a notification waits for the handler of the first",
        RECEIVING + "NotificationReceiver.swift",
        "NotificationHandlerTests",
        statement="try await beginHandling(uuids)",
        instead="",
    ),
]
