/// The templates for the answers about a customer.
enum DeskAnswersTemplate {
    /// A step of an explanation.
    private static let step = """
        <li{{#isLater}} class="later"{{/isLater}}><span class="when">{{time}}{{#isLater}}, <span lang="{{language}}">{{text.whyLater}}</span>{{/isLater}}</span><span class="fact">{{fact}}</span><span class="effect">→ {{effect}}</span><span class="soft">{{rule}}</span></li>
        """

    /// The answers about products and subscriptions, with the chosen explanation.
    static let products = """
        {{#why}}<section class="panel why" id="why" aria-labelledby="why-heading" tabindex="-1">
        <header><h3 id="why-heading">{{heading}}</h3><a class="button close" id="why-close" href="{{closeAddress}}">{{text.close}}</a></header>
        {{#since}}<p>{{since}}</p>{{/since}}
        {{#decides}}<p>{{decides}}</p>{{/decides}}
        {{#isTranslated}}<p class="soft">{{text.whySteps}}</p>{{/isTranslated}}
        <ol class="reasons" lang="en">{{#deciding}}\(step){{/deciding}}</ol>
        {{^empty(earlier)}}<h4>{{text.whyEarlier}}</h4>
        <ol class="reasons" lang="en">{{#earlier}}\(step){{/earlier}}</ol>{{/empty(earlier)}}
        {{^empty(idle)}}<details><summary>{{idleHeading}}</summary>
        <ol class="reasons" lang="en">{{#idle}}\(step){{/idle}}</ol></details>{{/empty(idle)}}
        <p>{{next}}</p>
        </section>{{/why}}
        <section id="products" class="stacked" aria-labelledby="products-heading">
        <h3 id="products-heading">{{text.productsHeading}}</h3>
        {{#empty(products)}}<p class="soft">{{absence}}</p>{{/empty(products)}}
        {{#productsNote}}<p class="soft">{{productsNote}}</p>{{/productsNote}}
        {{^empty(products)}}<div class="scroll"><table class="list">
        <caption class="unseen">{{text.productsHeading}}</caption>
        <thead><tr><th scope="col">{{text.columnProduct}}</th><th scope="col">{{text.columnAnswer}}</th><th scope="col">{{text.columnSince}}</th><th scope="col">{{text.columnUntil}}</th><th scope="col">{{text.columnBy}}</th></tr></thead>
        <tbody>{{#products}}<tr{{#isExplained}} class="selected"{{/isExplained}}><th scope="row">{{id}} <a class="detail" href="{{whyAddress}}">{{text.why}}<span class="unseen"> {{id}}</span></a></th><td class="sentence"><span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{answer}}</span> <span class="detail">{{reason}} <code class="soft">{{code}}</code></span></td><td>{{since}}</td><td>{{until}}</td><td><span class="number">{{by}}</span></td></tr>
        {{/products}}</tbody></table></div>{{/empty(products)}}
        {{^empty(neverBought)}}<p class="soft">{{neverLabel}} {{#neverBought}}<a href="{{whyAddress}}">{{id}}</a>{{^last()}}, {{/last()}}{{/neverBought}}.</p>{{/empty(neverBought)}}
        </section>
        {{^empty(statuses)}}<section id="subscriptions" aria-labelledby="statuses-heading">
        <h3 id="statuses-heading">{{text.statusesHeading}}</h3>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="statuses-heading"><table class="list"><caption class="unseen">{{text.statusesHeading}}</caption>
        <thead><tr><th scope="col">{{text.columnGroup}}</th><th scope="col">{{text.columnState}}</th><th scope="col">{{text.columnProduct}}</th><th scope="col">{{text.columnLevel}}</th><th scope="col">{{text.columnEnds}}</th><th scope="col">{{text.columnRenews}}</th><th scope="col">{{text.columnAccess}}</th></tr></thead>
        <tbody>{{#statuses}}<tr><th scope="row">{{group}}</th><td><span class="state {{stateWord}}">{{state}}</span></td><td>{{product}}</td><td>{{level}}</td><td>{{ends}}</td><td class="reason">{{renews}}</td><td>{{access}}</td></tr>
        {{/statuses}}</tbody></table></div>
        </section>{{/empty(statuses)}}
        """

    /// The features that products and grants unlock.
    static let features = """
        {{^empty(features)}}<section id="features" class="stacked" aria-labelledby="features-heading">
        <h3 id="features-heading">{{text.featuresHeading}}</h3>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="features-heading"><table class="list"><caption class="unseen">{{text.featuresHeading}}</caption>
        <thead><tr><th scope="col">{{text.columnFeature}}</th><th scope="col">{{text.columnAnswer}}</th><th scope="col">{{text.columnBy}}</th><th scope="col">{{text.columnUntil}}</th></tr></thead>
        <tbody>{{#features}}<tr><th scope="row">{{id}}</th><td class="sentence"><span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{answer}}</span> <span class="detail">{{reason}} <code class="soft">{{code}}</code></span></td><td>{{by}}</td><td>{{until}}</td></tr>
        {{/features}}</tbody></table></div>
        </section>{{/empty(features)}}
        """
}
