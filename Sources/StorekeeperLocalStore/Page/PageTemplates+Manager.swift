import StorekeeperPages

extension PageTemplates {
    /// The templates of the transaction manager.
    static let transactionManager = PageTemplates([
        "page": FrameTemplates.page, "act": FrameTemplates.act, "acts": FrameTemplates.acts,
        "confirmation": FrameTemplates.confirmation, "paging": FrameTemplates.paging,
        "payload": FrameTemplates.payload, "transactions": TransactionsTemplate.text,
        "inspector": TransactionsTemplate.inspector,
        "notifications": OtherTemplates.notifications, "story": OtherTemplates.story, "store": OtherTemplates.store,
        "catalog": CatalogTemplate.text,
        "scenario": OtherTemplates.scenario,
    ])
}
