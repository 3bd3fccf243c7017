import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperTesting
import Synchronization
import Testing

/// Tests with forged and inconsistent notifications.
struct NotificationForgeryTests {
    private func word(_ made: HandmadeNotification, _ part: String) async throws -> String {
        let reply = await made.receiver().receive(signedPayload: try made.notification("ONE_TIME_CHARGE", part: part))
        if reply.status != 200 {
            // No part of the refused notification is stored, and its UUID does not count as received.
            #expect(try await made.pool.vault.parked(after: .start, limit: 10).rows.isEmpty)
            #expect(
                try await made.pool.vault.seenNotifications(among: ["0ab2f1a4-9c2e-4f3d-8b7a-1c2d3e4f5a6b"]).isEmpty)
        }
        return reply.word
    }

    @Test func `A part of another authority is refused`() async throws {
        let made = try HandmadeNotification()
        let stranger = try LocalAuthority().makeSigner()
        let part = try made.transaction(signer: stranger)
        #expect(try await word(made, made.data(#""signedTransactionInfo":"\#(part)""#)) == "refused untrustedPart")
    }

    @Test func `A part of another app, or from another environment, is refused`() async throws {
        let made = try HandmadeNotification()
        let other = try made.transaction(bundle: "com.example.other")
        #expect(try await word(made, made.data(#""signedTransactionInfo":"\#(other)""#)) == "refused untrustedPart")
        let sandbox = try made.transaction(environment: "Sandbox")
        #expect(try await word(made, made.data(#""signedTransactionInfo":"\#(sandbox)""#)) == "refused untrustedPart")
    }

    @Test func `A part that is not a JWS, or is of another kind, is refused`() async throws {
        let made = try HandmadeNotification()
        #expect(try await word(made, made.data(#""signedTransactionInfo":"no""#)) == "refused untrustedPart")
        let renewal = try made.renewalInfo(originalID: "2000")
        #expect(try await word(made, made.data(#""signedTransactionInfo":"\#(renewal)""#)) == "refused untrustedPart")
    }

    @Test func `Parts about two subscriptions are refused`() async throws {
        let made = try HandmadeNotification()
        let (transaction, renewal) = (try made.transaction(), try made.renewalInfo(originalID: "3000"))
        let part = made.data(#""signedTransactionInfo":"\#(transaction)""#, #""signedRenewalInfo":"\#(renewal)""#)
        #expect(try await word(made, part) == "refused partsDisagree")
    }

    @Test func `A notification for another app, or of an unknown signer, is refused`() async throws {
        let made = try HandmadeNotification()
        let other = #""data":{"environment":"Production","bundleId":"com.example.other"}"#
        #expect(try await word(made, other) == "refused untrusted")
        let xcode = #""data":{"environment":"Xcode","bundleId":"com.example.game"}"#
        #expect(try await word(made, xcode) == "refused untrusted")
        let stranger = try HandmadeNotification()
        let payload = try stranger.notification("TEST", part: stranger.data())
        #expect(await made.receiver().receive(signedPayload: payload).word == "refused untrusted")
    }

    @Test func `A notification that was changed at any place is refused`() async throws {
        let made = try HandmadeNotification()
        let payload = try made.notification(
            "ONE_TIME_CHARGE", part: made.data(#""signedTransactionInfo":"\#(try made.transaction())""#))
        let receiver = made.receiver()
        var bytes = Array(payload.utf8)
        let start = try #require(bytes.firstIndex(of: UInt8(ascii: ".")))
        for index in stride(from: start + 1, to: bytes.count - 2, by: 211) where bytes[index] != UInt8(ascii: ".") {
            let kept = bytes[index]
            bytes[index] = kept == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let reply = await receiver.receive(signedPayload: String(decoding: bytes, as: UTF8.self))
            #expect(reply.word == "refused untrusted", "changed at \(index)")
            bytes[index] = kept
        }
    }

    @Test func `A notification is not acknowledged while the revocation status of its certificates is unknown`()
        async throws
    {
        final class Responder: RevocationChecker {
            let status = Mutex(RevocationStatus.unknown)
            let learned = Mutex(0)
            func status(of chain: SigningChain, at: Instant) -> RevocationStatus { status.withLock { $0 } }
            func learn(_ chain: SigningChain) async { learned.withLock { $0 += 1 } }
        }
        let responder = Responder()
        let made = try HandmadeNotification(revocation: responder)
        let payload = try made.notification(
            "ONE_TIME_CHARGE", part: made.data(#""signedTransactionInfo":"\#(try made.transaction())""#))
        let receiver = made.receiver()
        let reply = await receiver.receive(signedPayload: payload)
        #expect(reply.word == "failed revocationUnknown")
        #expect(reply.status == 503)
        #expect(responder.learned.withLock { $0 } > 0)
        responder.status.withLock { $0 = .revoked }
        #expect(await receiver.receive(signedPayload: payload).word == "refused untrusted")
        responder.status.withLock { $0 = .good }
        #expect(await receiver.receive(signedPayload: payload).word == "accepted")
    }
}
