/// The template for the catalog in the view of the store.
enum CatalogTemplate {
    static let text = """
        <section aria-labelledby="catalog-heading" id="catalog">
        <h3 id="catalog-heading">Catalog</h3>
        <p class="soft">As a file, with the present prices: {{#files}}<a href="{{address}}" download="{{label}}" data-key="file {{label}}">{{label}}</a>{{^last()}}, {{/last()}}{{/files}}. Keys that this program does not know are kept in a file of their kind.</p>
        {{#paging}}<p class="count" id="catalog-pages">Products{{> paging}}</p>
        {{/paging}}{{#groups}}<section class="group-rows" id="{{groupAnchor}}" tabindex="-1" aria-label="{{groupTitle}}">
        <p class="group-title">{{groupTitle}}{{#groupID}} <span class="soft">{{groupID}}</span>{{/groupID}}</p>
        <ul class="catalog">{{#members}}<li id="{{productAnchor}}" tabindex="-1"{{#isChosen}} class="chosen" aria-current="true"{{/isChosen}}>
        <span class="item"><a href="{{itemAddress}}" data-key="item {{productAnchor}}">{{catalogName}}</a>{{#catalogID}} <span class="soft">{{catalogID}}</span>{{/catalogID}}</span>
        <span class="amount">{{listPrice}}</span>
        <span class="soft about">{{kindWords}}{{#level}}, level {{level}}{{/level}}{{#isNotForSale}} <span class="note warn">not for sale</span>{{/isNotForSale}} · <a href="{{salesAddress}}" data-key="sales {{productAnchor}}">transactions<span class="unseen"> of {{catalogName}}</span></a></span>
        {{#offers}}<span class="offer about" id="{{offerAnchor}}" tabindex="-1">{{offerTitle}} <span class="soft">{{offerTerms}}</span></span>
        {{/offers}}{{#otherOffers}}<span class="offer about soft">{{otherOffers}} more</span>
        {{/otherOffers}}{{#priceForm}}<div class="about">
        {{> act}}</div>{{/priceForm}}</li>
        {{/members}}</ul>
        </section>
        {{/groups}}
        <p class="soft">Products and offers can be added. The story so far is then played again with the new catalog, so that a new introductory offer also counts for earlier purchases; its notifications are not sent again. To change a price, open a product.</p>
        <div class="acts">{{#additions}}<details id="{{formID}}-details"{{#isOpen}} open{{/isOpen}}>
        <summary>{{actTitle}} <span class="soft">{{help}}</span></summary>
        {{> act}}</details>
        {{/additions}}</div>
        <datalist id="groups">{{#groupNames}}<option value="{{.}}"></option>{{/groupNames}}</datalist>
        </section>

        """
}
