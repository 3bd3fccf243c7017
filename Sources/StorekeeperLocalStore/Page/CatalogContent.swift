import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The catalog of the app, with the forms that add products and offers.
struct CatalogContent {
    struct OfferRow {
        let offerAnchor: String
        let offerTitle: String
        let offerTerms: String
    }

    struct ProductRow {
        let productAnchor: String
        let catalogName: String
        /// The product's id; `nil` if the id is already shown as the name.
        let catalogID: String?
        let kindWords: String
        let level: String?
        let listPrice: String
        let isNotForSale: Bool
        let isChosen: Bool
        let itemAddress: String
        let salesAddress: String
        let offers: [OfferRow]
        /// The number of offers that are not shown.
        let otherOffers: Int?
        /// The form that changes the product's price; `nil` unless the product is selected.
        let priceForm: PageActionForm?
    }

    struct GroupRows {
        let groupAnchor: String
        let groupTitle: String
        let groupID: String?
        let members: [ProductRow]
    }

    let groups: [GroupRows]
    /// The links to the other pages of a long catalog.
    let paging: PageContent.Paging?
    /// The forms that add a product and an offer.
    let additions: [PageActionForm]
    let groupNames: [String]
    /// The URLs from which the catalog can be downloaded as a file.
    let files: [PageContent.Link]

    static func anchor(ofProduct index: Int) -> String { "product-\(index + 1)" }
    static func anchor(ofGroup index: Int) -> String { "group-\(index + 1)" }
    static func anchor(ofOffer index: Int, of product: Int) -> String { "offer-\(product + 1)-\(index + 1)" }
}

/// The division of a catalog's products into pages, with the products of each group before the products without a
/// group.
struct CatalogPages {
    /// The maximum number of offers that are shown for a product.
    static let mostOffers = 20

    /// The products without a group.
    let ungrouped: [Product.ID]
    private var pages: [Set<Product.ID>] = [[]]

    init(_ catalog: Catalog) {
        let grouped = catalog.groups.flatMap(\.productIDs)
        let known = Set(grouped)
        ungrouped = catalog.products.map(\.id).filter { !known.contains($0) }
        let offers = Dictionary(catalog.products.map { ($0.id, $0.offers.count) }) { first, _ in first }
        var lines = 0
        for id in grouped + ungrouped {
            guard let count = offers[id] else { continue }
            // The product needs a row, each shown offer needs a row, and the number of hidden offers needs a row.
            let size = 1 + min(count, Self.mostOffers + 1)
            if lines > 0, lines + size > PageBuilder.pageSize {
                pages.append([])
                lines = 0
            }
            pages[pages.count - 1].insert(id)
            lines += size
        }
    }

    /// The number of pages, at least 1.
    var count: Int { pages.count }

    /// Returns the number of the page with a product; the first page has number 1.
    func page(of id: Product.ID) -> Int? { pages.firstIndex { $0.contains(id) }.map { $0 + 1 } }

    /// Returns the products on a page; if the page number is too great, the products on the last page.
    func products(on page: Int) -> Set<Product.ID> { pages[min(max(1, page), pages.count) - 1] }
}

extension PageBuilder {
    /// Returns the catalog of the app that the location names.
    func catalogContent() -> CatalogContent {
        let catalog = (try? served.store.presentCatalog(of: forms.app)) ?? .empty
        let absent = (try? served.store.productsNotForSale(of: forms.app)) ?? []
        let places = Dictionary(
            catalog.products.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        let pages = CatalogPages(catalog)
        let page = location.page > 1 ? location.page : location.item.flatMap { pages.page(of: Product.ID($0)) } ?? 1
        let shown = pages.products(on: page)
        func rows(_ ids: [Product.ID]) -> [CatalogContent.ProductRow] {
            ids.compactMap { id in
                guard shown.contains(id), let place = places[id] else { return nil }
                return productRow(catalog.products[place], at: place, isForSale: !absent.contains(id))
            }
        }
        var groups = catalog.groups.enumerated().map { index, group in
            CatalogContent.GroupRows(
                groupAnchor: CatalogContent.anchor(ofGroup: index),
                groupTitle: "Group \(group.name ?? "without a name")",
                groupID: group.name == group.id.rawValue ? nil : "id \(group.id)",
                members: rows(group.productIDs))
        }.filter { !$0.members.isEmpty || pages.count == 1 }
        let others = rows(pages.ungrouped)
        if !others.isEmpty || groups.isEmpty {
            groups.append(
                CatalogContent.GroupRows(
                    groupAnchor: "group-none", groupTitle: "Products without a group", groupID: nil, members: others))
        }
        let app = served.scenario.apps.count > 1 ? "?app=\(forms.app.percentEncoded)" : ""
        let edits = CatalogEdit.fileName(for: forms.app, in: served.scenario)
        let isEdited = served.scenario.catalogFiles[edits] != nil
        return CatalogContent(
            groups: groups, paging: paging(pages, page: page), additions: [productForm, offerForm(catalog)],
            groupNames: catalog.groups.map { $0.name ?? $0.id.rawValue },
            files: [
                PageContent.Link(label: "catalog.storekit", address: "/page/catalog.storekit\(app)", isCurrent: false),
                PageContent.Link(label: "catalog.json", address: "/page/catalog.json\(app)", isCurrent: false),
            ]
                + (isEdited
                    ? [PageContent.Link(label: edits, address: "/page/catalog-edits.json\(app)", isCurrent: false)]
                    : []))
    }

    private func paging(_ pages: CatalogPages, page: Int) -> PageContent.Paging? {
        let page = min(page, pages.count)
        return paging("page \(page) of \(pages.count)", page: page, of: pages.count) { location, other in
            (location.item, location.page) = (nil, other)
        }
    }

    private func productRow(_ product: Product, at index: Int, isForSale: Bool) -> CatalogContent.ProductRow {
        let isChosen = location.item == product.id.rawValue
        let currency = product.currencyCode
        let period = product.subscription?.subscriptionPeriod ?? product.accessDuration
        let kind = product.type?.rawValue ?? "Type not known"
        return CatalogContent.ProductRow(
            productAnchor: CatalogContent.anchor(ofProduct: index), catalogName: names[product.id],
            catalogID: names.secondary(product.id),
            kindWords: [kind, period.map(names.length)].compactMap(\.self).joined(separator: ", "),
            level: product.subscription?.groupLevel.map(String.init),
            listPrice: product.price.map { names.price($0, currency) } ?? "–", isNotForSale: !isForSale,
            isChosen: isChosen,
            itemAddress: location.showing(.store).with { $0.item = product.id.rawValue }.address
                + "#\(CatalogContent.anchor(ofProduct: index))",
            salesAddress: location.showing(.transactions).with {
                ($0.person, $0.product) = (nil, product.id.rawValue)
            }.address,
            offers: product.offers.prefix(CatalogPages.mostOffers).enumerated().map { place, offer in
                CatalogContent.OfferRow(
                    offerAnchor: CatalogContent.anchor(ofOffer: place, of: index),
                    offerTitle: Happening.Offer.title(offer), offerTerms: names.terms(of: offer, currency: currency))
            },
            otherOffers: product.offers.count > CatalogPages.mostOffers
                ? product.offers.count - CatalogPages.mostOffers : nil,
            priceForm: isChosen
                ? PageAction.named("price").map { forms.form($0, product: product.id, at: "item") } : nil)
    }

    // MARK: Forms

    /// The form that adds a product to the catalog.
    private var productForm: PageActionForm {
        additionForm("product", "Add a product") { id in
            [
                id.text("id", "id", placeholder: "com.example.gold.monthly", isNeeded: true),
                id.choice("type", "type", CatalogEdit.types.map { ($0.word, $0.rawValue) }),
                id.text("name", "name", placeholder: "Gold"), id.text("price", "price", placeholder: "9.99"),
                id.text("group", "group, for a subscription", placeholder: "Membership", list: "groups"),
                id.choice("period", "period", periodChoices, none: "none"),
                id.text("level", "level in the group", placeholder: "1 is the highest"),
                id.choice("family", "shared with the family", [("no", "no"), ("yes", "yes")]),
            ]
        }
    }

    /// Returns the form that adds an offer to a product.
    private func offerForm(_ catalog: Catalog) -> PageActionForm {
        let kinds: [(SubscriptionOffer.Kind, String)] = [
            (.introductory, "introductory"), (.promotional, "promotional"), (.winBack, "win-back"),
            (.code, "offer code"),
        ]
        let modes: [(SubscriptionOffer.PaymentMode, String)] = [
            (.freeTrial, "free trial"), (.payAsYouGo, "pay as you go"), (.payUpFront, "pay up front"),
            (.oneTime, "once, for a product that is not a subscription"),
        ]
        return additionForm("offer", "Add an offer") { id in
            [
                id.choice(
                    "product", "product", catalog.products.map { ($0.id.rawValue, names.choice($0.id)) },
                    chosen: location.item),
                id.choice("kind", "kind", kinds.map { ($0.rawValue, $1) }),
                id.text("id", "id, except of an introductory offer", placeholder: "spring"),
                id.choice("mode", "paid as", modes.map { ($0.rawValue, $1) }),
                id.choice("period", "period", periodChoices, none: "as the product"),
                id.text("periods", "number of periods", placeholder: "1"),
                id.text("price", "price, except of a free trial", placeholder: "1.99"),
            ]
        }
    }

    private var periodChoices: [(String, String)] {
        CatalogEdit.periods.map { ($0, names.length(SubscriptionPeriod($0))) }
    }

    private func additionForm(
        _ kind: String, _ title: String, _ fields: (AdditionFields) -> [PageActionForm.Field]
    ) -> PageActionForm {
        let isTyped = forms.typed?.value("add") == kind
        var hidden = [PageActionForm.Hidden(name: "add", value: kind)]
        if served.scenario.apps.count > 1 { hidden.append(.init(name: "app", value: forms.app)) }
        var form = PageActionForm(
            formID: "add-\(kind)", word: "", actTitle: title,
            help: kind == "product" ? "to the catalog of this store" : "to a product of the catalog", hidden: hidden,
            fields: fields(AdditionFields(kind: kind, typed: isTyped ? forms.typed : nil, mistakes: mistakes)),
            isDangerous: false, isOpen: isTyped)
        form.target = "/page/catalog"
        return form
    }

    /// Creates the fields of a form that adds to the catalog, with the typed values and their mistakes.
    private struct AdditionFields {
        let kind: String
        let typed: FormBody?
        let mistakes: CatalogEdit.Mistakes?

        func text(
            _ name: String, _ label: String, placeholder: String, list: String? = nil, isNeeded: Bool = false
        ) -> PageActionForm.Field {
            field(
                name, label, isNeeded: isNeeded,
                text: .init(placeholder: placeholder, list: list, typed: typed?.value(name) ?? ""))
        }

        func choice(
            _ name: String, _ label: String, _ values: [(String, String)], none: String? = nil, chosen: String? = nil
        ) -> PageActionForm.Field {
            let chosen = typed?.value(name) ?? chosen
            return field(
                name, label,
                choices: .init(
                    none: none, values: values.map { .init(value: $0, label: $1, isChosen: $0 == chosen) }))
        }

        private func field(
            _ name: String, _ label: String, isNeeded: Bool = false, text: PageActionForm.TextControl? = nil,
            choices: PageActionForm.ChoiceControl? = nil
        ) -> PageActionForm.Field {
            PageActionForm.Field(
                fieldID: "add-\(kind)-\(name)", fieldName: name, fieldLabel: label, isNeeded: isNeeded, text: text,
                choices: choices, problem: typed == nil ? nil : mistakes?.byField[name])
        }
    }
}

extension Happening.Offer {
    /// Returns the title of an offer in the catalog.
    static func title(_ offer: SubscriptionOffer) -> String {
        let name = offer.id.map { " \($0.rawValue)" } ?? ""
        switch offer.kind {
        case .introductory: return "Introductory offer"
        case .promotional: return "Promotional offer\(name)"
        case .winBack: return "Win-back offer\(name)"
        case .code: return "Offer code\(name)"
        }
    }
}
