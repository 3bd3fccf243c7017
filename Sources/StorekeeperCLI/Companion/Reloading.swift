import Logging
import Storekeeper
import StorekeeperCompanion
import StorekeeperLocalStore
import StorekeeperPages

/// Reloads keys, certificates and webhook secrets when their files change, and when the process receives SIGHUP.
struct Reloading: Sendable {
    let keyFile: KeyFile
    let keys: AccessKeys
    /// The TLS files; `nil` without TLS.
    let identity: ServedIdentity?
    /// The webhooks.
    ///
    /// If the secrets of a webhook are in a file, the file is reloaded as well.
    let webhooks: [WebhookSettings]
    let logger: Logger

    /// The interval between checks of the files.
    private static let pause = Duration.seconds(2)

    /// Watches the files until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await CompanionServer.forEachHangUp {
                    reloadKeys()
                    reloadIdentity()
                    webhooks.forEach(reloadSecrets)
                }
            }
            group.addTask { await watch() }
        }
    }

    private func watch() async {
        var seenKeys = keyBytes
        var seenIdentity = identity?.contents
        var seenSecrets = webhooks.map(\.contents)
        while !Task.isCancelled {
            do { try await Task.sleep(for: Self.pause) } catch { return }
            let (nextKeys, nextIdentity) = (keyBytes, identity?.contents)
            if nextKeys != seenKeys { reloadKeys() }
            if nextIdentity != seenIdentity { reloadIdentity() }
            (seenKeys, seenIdentity) = (nextKeys, nextIdentity)
            let nextSecrets = webhooks.map(\.contents)
            for (webhook, (seen, next)) in zip(webhooks, zip(seenSecrets, nextSecrets)) where seen != next {
                reloadSecrets(of: webhook)
            }
            seenSecrets = nextSecrets
        }
    }

    /// The bytes of the file with the keys; `nil` if it cannot be read, which differs from an empty file.
    private var keyBytes: [UInt8]? { try? InputFile.contents(of: keyFile.path, limit: 1 << 20) }

    private func reloadKeys() {
        do throws(CommandError) {
            let known = try keyFile.keys()
            do throws(AccessKeyFault) { try keys.replace(with: known) } catch {
                throw CommandError(.malformedInput, error.description, at: keyFile.path, "correct the file")
            }
            logger.notice("the keys were reloaded: there are \(keys.count)")
        } catch {
            logger.error("the previous keys stay in use: \(error)")
        }
    }

    private func reloadSecrets(of webhook: WebhookSettings) {
        guard webhook.secretFile != nil else { return }
        do throws(CommandError) {
            try webhook.reload()
            logger.notice("the secrets of the webhook '\(webhook.endpoint.name)' were reloaded")
        } catch {
            logger.error("the previous secrets stay in use: \(error)")
        }
    }

    private func reloadIdentity() {
        guard let identity else { return }
        do throws(CommandError) {
            try identity.reload()
            logger.notice("the certificates were reloaded")
        } catch {
            logger.error("the previous certificates stay in use: \(error)")
        }
    }
}
