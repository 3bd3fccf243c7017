/// The views of notifications, happenings, the store and scenarios.
enum OtherTemplates {
    static let notifications = """
        <div class="split{{#inspected}} inspecting{{/inspected}}">
        <section aria-labelledby="notifications-heading">
        <h2 id="notifications-heading">Notifications{{#person}} about {{person}}{{/person}}</h2>
        <p class="soft">{{#hasWebhook}}Each notification is sent when it is due; failed attempts are retried as the App Store does.{{/hasWebhook}}{{^hasWebhook}}Notifications are not sent: start with --webhook URL to send them.{{/hasWebhook}}</p>
        <div class="near">{{#test}}
        {{> act}}
        {{/test}}</div>
        <div class="scroll" data-live id="notification-list">
        <p class="count">{{summary}}{{#paging}}{{> paging}}{{/paging}}</p>
        <table class="list" id="notifications"><caption class="unseen">Notifications, newest first</caption>
        <thead><tr><th scope="col">Notification</th><th scope="col">Time</th><th scope="col" class="column-about">Customer</th><th scope="col" class="column-about">Product</th><th scope="col">Attempts</th></tr></thead>
        <tbody>{{#rows}}<tr{{#isSelected}} class="selected"{{/isSelected}}><th scope="row"><a class="row-link" id="row-{{happening}}" href="{{address}}"{{#isSelected}} aria-current="true"{{/isSelected}}>{{type}}{{#subtype}}<wbr>/{{subtype}}{{/subtype}}</a> <span class="ago">{{sentence}}</span></th><td>{{time}}</td><td class="column-about">{{customer}}</td><td class="column-about">{{product}}</td><td class="attempts">{{#attempts}}<span class="attempt{{#isSuccess}} good{{/isSuccess}}{{^isSuccess}} bad{{/isSuccess}}"><span aria-hidden="true">{{mark}}</span> {{result}}{{#later}} <span class="soft">{{later}}</span>{{/later}}</span> {{/attempts}}{{#isDropped}}<span class="attempt bad"><span aria-hidden="true">✕</span> dropped by your fault</span> {{/isDropped}}{{#isUnsent}}<span class="soft">not sent</span>{{/isUnsent}}</td></tr>
        {{/rows}}{{^rows}}<tr class="none"><td colspan="5">No notifications yet.</td></tr>{{/rows}}</tbody></table>
        </div>
        </section>
        {{#inspected}}<section class="inspector panel" id="inspector" aria-labelledby="inspector-heading" tabindex="-1">
        <header><h2 id="inspector-heading">{{kind}}</h2><a class="button close" id="inspector-close" href="{{closeAddress}}">Close</a></header>
        <h3>Attempts</h3>
        <dl class="facts" data-live id="attempts">{{#tries}}<div><dt>{{factName}}</dt><dd>{{factValue}}{{#hint}}<pre class="jws" tabindex="0" role="group" aria-label="Body of the response">{{hint}}</pre>{{/hint}}</dd></div>{{/tries}}</dl>
        {{#wasDropped}}<p>It was dropped by your fault.</p>{{/wasDropped}}{{^tries}}<p class="soft">It was not sent.</p>{{/tries}}
        {{#hasWebhook}}<form class="near" method="post" action="/page/notifications" id="resend-form" aria-label="Send it again"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}"><input type="hidden" name="happening" value="{{happening}}"><button id="resend-button">Send it again</button></form>{{/hasWebhook}}
        <h3>Signed</h3>
        <div id="signed">{{#payloads}}
        {{> payload}}
        {{/payloads}}</div>
        </section>{{/inspected}}
        </div>

        """

    static let story = """
        <section aria-labelledby="story-heading" data-live id="story-lines">
        <h2 id="story-heading">Events{{#person}} of {{person}}{{/person}}</h2>
        <p class="count">{{summary}}, newest first{{#paging}}{{> paging}}{{/paging}}</p>
        <ol class="story" reversed>{{#lines}}<li><span class="when">{{time}}</span> <span>{{#customer}}<span class="who">{{customer}}</span> {{/customer}}{{words}} <span class="ago">{{sentence}}</span></span></li>
        {{/lines}}</ol>
        </section>

        """

    static let store = """
        <section aria-labelledby="store-heading">
        <h2 id="store-heading">Store{{#namedApp}} of {{namedApp}}{{/namedApp}}</h2>
        <div class="columns">
        {{#catalog}}
        {{> catalog}}
        {{/catalog}}
        <section aria-labelledby="store-acts-heading"><h3 id="store-acts-heading">Actions</h3>
        <div class="near">
        {{#oneClick}}
        {{> press}}
        {{/oneClick}}</div>
        {{> acts}}
        <form class="act" method="post" action="/page/steps" id="everyone" aria-label="Clear everyone">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}"><input type="hidden" name="word" value="clear"><input type="hidden" name="subject" value="everyone">{{#namedApp}}<input type="hidden" name="app" value="{{namedApp}}">{{/namedApp}}
        {{> confirmation}}<button class="danger" id="everyone-button">Delete the transactions of all customers</button>
        </form>
        <h3>Faults</h3>
        <ul class="plain" id="faults" data-live>{{#faults}}<li>{{.}}</li>{{/faults}}{{^faults}}<li class="soft">No active faults; begin one with 'Begin a fault' above.</li>{{/faults}}</ul>
        </section>
        <section aria-labelledby="settings-heading"><h3 id="settings-heading">Settings of the test environment</h3>
        <div class="settings">{{#settings}}<form class="act setting" method="post" action="/page/steps" aria-label="{{name}}">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}"><input type="hidden" name="word" value="set"><input type="hidden" name="setting" value="{{name}}">{{#namedApp}}<input type="hidden" name="app" value="{{namedApp}}">{{/namedApp}}
        <label for="{{settingID}}">{{name}}</label>
        {{#isText}}<input id="{{settingID}}" name="value" value="{{current}}" required autocomplete="off">{{/isText}}{{^isText}}<select id="{{settingID}}" name="value">{{#values}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/values}}</select>{{/isText}}
        <button id="{{settingID}}-button">Set<span class="unseen"> {{name}}</span></button>
        </form>
        {{/settings}}</div>
        </section>
        </div>
        </section>

        """

    static let scenario = """
        <section aria-labelledby="scenario-heading">
        <h2 id="scenario-heading">Scenario</h2>
        <div class="columns">
        {{#saving}}
        {{> saving}}
        {{/saving}}
        <section aria-labelledby="save-heading"><h3 id="save-heading">Save as a scenario</h3>
        <p>Everything that has happened here, as a file that reproduces it: <code>storekeeper simulate scenario.yaml</code>, or loaded here.</p>
        <p><a class="button" href="/page/scenario.yaml" download="scenario.yaml" id="save">Save scenario.yaml</a> <span class="soft" data-live id="save-facts">{{steps}}; it refers to its catalogs: {{#catalogs}}{{.}}{{^last()}}, {{/last()}}{{/catalogs}}</span></p>
        <pre class="yaml" id="scenario-text" data-live tabindex="0" role="region" aria-label="The scenario as text">{{text}}</pre>
        </section>
        <section aria-labelledby="load-heading"><h3 id="load-heading">Load a scenario</h3>
        <p>Replaces everything here, which undo brings back. The scenario is played first; the store then continues from its end.</p>
        <form class="act tall" method="post" action="/page/scenario" enctype="multipart/form-data" id="load-form" aria-label="Load a scenario">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">
        <span class="field"><label for="load-file">file</label><input id="load-file" name="file" type="file" accept=".yaml,.yml"></span>
        <span class="field"><label for="load-catalogs">its catalogs, if they differ from those of this store</label><input id="load-catalogs" name="catalogs" type="file" multiple accept=".storekit,.json,.plist"></span>
        <span class="field"><label for="load-text">or its text</label><textarea id="load-text" name="text" rows="10" spellcheck="false">{{typed}}</textarea></span>
        {{> confirmation}}<button id="load-button">Load</button>
        </form>
        </section>
        </div>
        </section>

        """
}
