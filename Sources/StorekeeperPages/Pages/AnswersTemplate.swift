/// The view of the engine's answers.
package enum AnswersTemplate {
    package static let text = """
        {{#timeline}}
        {{> timeline}}
        {{/timeline}}
        <div data-live id="answers">
        <h2>What {{customer}} owns</h2>
        <p class="soft">At {{at}}, from all signed evidence.{{#nextChange}} Next change: {{nextChange}}.{{/nextChange}}</p>
        {{#refusals}}<p class="complaint">Not verified: {{.}}</p>{{/refusals}}
        {{#why}}<section class="panel why" id="why" aria-labelledby="why-heading" tabindex="-1">
        <header><h3 id="why-heading">Why {{product}} is <span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{word}}</span> ({{reasonWord}})</h3><a class="button close" id="why-close" href="{{closeAddress}}">Close</a></header>
        {{#since}}<p>Since {{since}}.</p>{{/since}}
        {{#decider}}<p>Transaction {{decider}} decides.</p>{{/decider}}
        <ol class="reasons">{{#reasons}}<li{{#isLater}} class="later"{{/isLater}}><span class="when">{{time}}{{#isLater}}, later than now{{/isLater}}</span><span class="fact">{{fact}}</span><span class="effect">→ {{effect}}</span><span class="soft">{{rule}}</span></li>{{/reasons}}</ol>
        <p>Next: {{#next}}{{next}}{{/next}}{{^next}}no known event changes this answer{{/next}}.</p>
        </section>{{/why}}
        <section class="stacked" aria-labelledby="products-heading">
        <h3 id="products-heading">Products</h3>
        {{#empty(products)}}<p class="soft">{{absence}}</p>{{/empty(products)}}
        {{^empty(products)}}<div class="scroll"><table class="list">
        <caption class="unseen">Answers about products</caption>
        <thead><tr><th scope="col">Product</th><th scope="col">Answer</th><th scope="col">Reason</th><th scope="col">Since</th><th scope="col">Until</th><th scope="col">By</th><th scope="col"><span class="unseen">Explanation</span></th></tr></thead>
        <tbody>{{#products}}<tr{{#isExplained}} class="selected"{{/isExplained}}><th scope="row">{{id}}</th><td><span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{word}}</span></td><td class="reason">{{sentence}} <code class="soft">{{reasonWord}}</code></td><td>{{since}}</td><td>{{until}}</td><td>{{#transactionAddress}}<a class="number" href="{{transactionAddress}}">{{transactionID}}</a>{{/transactionAddress}}{{^transactionAddress}}<span class="number">{{transactionID}}</span>{{/transactionAddress}}</td><td><a href="{{whyAddress}}" data-key="why {{id}}">Why?<span class="unseen"> {{id}}</span></a></td></tr>
        {{/products}}</tbody></table></div>{{/empty(products)}}
        {{^empty(neverBought)}}<p class="soft">No purchase is known: {{#neverBought}}<a href="{{address}}" data-key="why {{label}}">{{label}}</a>{{^last()}}, {{/last()}}{{/neverBought}}.</p>{{/empty(neverBought)}}
        </section>
        {{^empty(statuses)}}<section class="stacked" aria-labelledby="statuses-heading">
        <h3 id="statuses-heading">Subscriptions</h3>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="statuses-heading"><table class="list"><caption class="unseen">Subscription statuses</caption>
        <thead><tr><th scope="col">Group</th><th scope="col">State</th><th scope="col">Product</th><th scope="col">Level</th><th scope="col">Period ends</th><th scope="col">Next</th><th scope="col">Gives access</th></tr></thead>
        <tbody>{{#statuses}}<tr><th scope="row">{{group}}</th><td class="reason"><span class="state {{stateWord}}">{{stateWord}}</span> <span class="ago">{{sentence}}</span></td><td>{{product}}</td><td>{{level}}</td><td>{{ends}}</td><td class="reason">{{renews}}</td><td>{{access}}</td></tr>
        {{/statuses}}</tbody></table></div>
        </section>{{/empty(statuses)}}
        {{^empty(features)}}<section class="stacked" aria-labelledby="features-heading">
        <h3 id="features-heading">Features</h3>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="features-heading"><table class="list"><caption class="unseen">Answers about features</caption>
        <thead><tr><th scope="col">Feature</th><th scope="col">Answer</th><th scope="col">Reason</th><th scope="col">By</th><th scope="col">Until</th></tr></thead>
        <tbody>{{#features}}<tr><th scope="row">{{id}}</th><td><span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{word}}</span></td><td class="reason">{{sentence}} <code class="soft">{{reasonWord}}</code></td><td>{{by}}</td><td>{{until}}</td></tr>
        {{/features}}</tbody></table></div>
        </section>{{/empty(features)}}
        {{^empty(balances)}}<section aria-labelledby="balances-heading">
        <h3 id="balances-heading">Balances</h3>
        {{#balancesNote}}<p class="soft">{{balancesNote}}</p>{{/balancesNote}}
        <div class="scroll" tabindex="0" role="group" aria-labelledby="balances-heading"><table class="list"><caption class="unseen">Balances</caption>
        <thead><tr><th scope="col">Balance</th><th scope="col">Units</th><th scope="col">Bought</th><th scope="col">Taken back</th></tr></thead>
        <tbody>{{#balances}}<tr><th scope="row">{{id}}</th><td>{{units}}</td><td>{{bought}}</td><td>{{takenBack}}</td></tr>
        {{/balances}}</tbody></table></div>
        </section>{{/empty(balances)}}
        </div>

        """
}
