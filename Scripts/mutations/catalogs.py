"""Rules of certificates, and of catalog files."""

from . import Rule

RULES = [
    Rule(
        "the inner and outer signature algorithms of a certificate are equal",
        "Sources/StorekeeperJWS/CertificateForm.swift",
        "CertificateFormTests",
        expression="inner.encodedBytes == parts[1].encodedBytes",
        instead="true",
    ),
    Rule(
        "only certificates of version 3 have extensions",
        "Sources/StorekeeperJWS/ChainCertificate.swift",
        "CertificateFormTests",
        expression="content.version == .v3 || !form.hasExtensions",
        instead="true",
    ),
    Rule(
        "the third certificate is a trusted root, byte for byte",
        "Sources/StorekeeperJWS/VerifiedChain.swift",
        "ChainAttackTests",
        expression="roots.contains(where: { $0.der == certificates[2] })",
        instead="true",
    ),
    Rule(
        "each certificate was signed by the next",
        "Sources/StorekeeperJWS/ChainCertificate.swift",
        "ChainAttackTests|CertificateTests",
        expression="key.isValidSignature(content.signature, for: content)",
        instead="true",
    ),
    Rule(
        "an intermediate is identified by its bytes",
        "Sources/StorekeeperJWS/TrustedIntermediate.swift",
        "KnownIntermediateTests",
        expression="self.der == der",
        instead="true",
    ),
    Rule(
        "an intermediate is cached only for its root",
        "Sources/StorekeeperJWS/TrustedIntermediate.swift",
        "KnownIntermediateTests",
        expression="self.root == root",
        instead="true",
    ),
    Rule(
        "the dates of a cached intermediate are checked for each item",
        "Sources/StorekeeperJWS/VerifiedChain.swift",
        "KnownIntermediateTests",
        expression="leaf.validity?.common(with: intermediate.validity)",
        instead="leaf.validity",
    ),
    Rule(
        "all certificates were valid when the item was signed",
        "Sources/StorekeeperJWS/VerifiedChain.swift",
        "ChainAttackTests",
        expression="validity?.contains(instant) ?? false",
        instead="true",
    ),
    Rule(
        "the signature belongs to header and payload",
        "Sources/StorekeeperJWS/JWSVerifier+Steps.swift",
        "SignatureAttackTests",
        expression="chain.signed(payload: jws.payload, signature: signature)",
        instead="true",
    ),
    Rule(
        "an environment that is not accepted is refused",
        "Sources/StorekeeperJWS/ItemRequirements.swift",
        "ItemRequirementsTests",
        expression="environments.contains(found)",
        instead="true",
    ),
    Rule(
        "an explicit level beats the order of a list",
        "Sources/StorekeeperEngine/Catalog/GroupMerge.swift",
        "CatalogMergeTests|ProductListTests",
        expression="explicitLevels[id] ?? orderLevels[id]",
        instead="orderLevels[id] ?? explicitLevels[id]",
    ),
    Rule(
        "only an enabled plan billed up front has the true price",
        "Sources/StorekeeperEngine/Catalog/StoreKitProductEntry.swift",
        "StoreKitConfigurationTests",
        expression="product.billingPlans.first { $0.type == .billedUpfront && $0.isEnabled }",
        instead="product.billingPlans.first { $0.type == .billedUpfront }",
    ),
    Rule(
        "a free offer costs nothing, whatever price an earlier mode left behind",
        "Sources/StorekeeperEngine/Catalog/StoreKitProductEntry.swift",
        "StoreKitConfigurationTests",
        expression="offer.paymentMode == .freeTrial",
        instead="false",
    ),
]
