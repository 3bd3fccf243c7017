import StorekeeperPages

extension PageTemplates {
    /// The templates of the transaction manager.
    static let transactionManager = PageTemplates([
        "page": FrameTemplates.page, "act": FrameTemplates.act, "acts": FrameTemplates.acts,
        "press": FrameTemplates.press, "head": FrameTemplates.head,
        "confirmation": FrameTemplates.confirmation, "paging": FrameTemplates.paging,
        "payload": FrameTemplates.payload, "transactions": TransactionsTemplate.text,
        "inspector": TransactionsTemplate.inspector, "answers": AnswersTemplate.text,
        "present": PresentTemplate.text, "timeline": TimelineTemplate.text,
        "notifications": OtherTemplates.notifications, "story": OtherTemplates.story, "side": StoryTemplates.side,
        "book": StoryTemplates.book,
        "comparison": StoryTemplates.comparison, "store": OtherTemplates.store,
        "catalog": CatalogTemplate.text,
        "scenario": OtherTemplates.scenario,
        "saving": SavingTemplate.text,
    ])
}
