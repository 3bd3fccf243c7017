/// A link of a page.
package struct PageLink {
    let label: String
    let address: String
    let isCurrent: Bool
    let detail: String?

    /// Creates a link.
    package init(label: String, address: String, isCurrent: Bool, detail: String? = nil) {
        self.label = label
        self.address = address
        self.isCurrent = isCurrent
        self.detail = detail
    }
}
