/// The settings of a webhook, named as in `serve.webhooks.NAME` of storekeeper.yaml.
enum WebhookKey: String, CaseIterable {
    case url, secretFile, allowHttp, timeout, giveUpAfter

    /// The end of the environment variable's name, such as `GIVE_UP_AFTER`.
    var suffix: String { rawValue.map { $0.isUppercase ? "_\($0)" : "\($0)" }.joined().uppercased() }
}
