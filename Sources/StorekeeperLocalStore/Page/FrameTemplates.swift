/// The frame of the page and the parts that several views share.
///
/// A Mustache partial must be at the beginning of its line, because the partial's content gets the same indentation.
enum FrameTemplates {
    static let page = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{title}}</title>
        <link rel="icon" href="/page/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/page/style.css">
        <script src="/page/script.js" defer></script>
        </head>
        <body data-version="{{version}}">
        <a class="skip" href="#main">Skip to the content</a>
        <p class="offline" id="offline" role="alert" hidden>The server does not respond: this page may be outdated.</p>
        <header class="bar">
        <div class="brand">
        <svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 8h16l-1.2 12H5.2z"/><path class="line" d="M8.5 8V6.5a3.5 3.5 0 0 1 7 0V8"/></svg>
        <div>
        <h1>{{story}}</h1>
        <p class="soft">Local App Store · {{environment}}{{#onlyApp}} · {{onlyApp}}{{/onlyApp}}{{#apps}} · <a href="{{address}}" data-key="app {{label}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{label}}</a>{{/apps}}</p>
        </div>
        </div>
        <section class="clock" aria-labelledby="clock-heading">
        <h2 id="clock-heading" class="unseen">Clock</h2>
        <div class="face" data-live id="clock-face">
        <p class="now"><time datetime="{{nowISO}}">{{now}}</time> <span class="soft">UTC</span></p>
        <button id="step-event" class="next-event" form="step-form" name="subject" value="next event"{{#coming}} title="Advance to the next event: {{whole}}"{{/coming}}{{^coming}} title="No event is scheduled" disabled{{/coming}}>{{#coming}}<span class="words">{{what}}</span> <span class="soft">{{time}}</span>{{/coming}}{{^coming}}Nothing is due{{/coming}}</button>
        </div>
        <details class="drawer" id="clock-fold" open>
        <summary>Move the clock</summary>
        <div class="moves">
        <form class="steps" method="post" action="/page/steps" id="step-form" aria-label="Advance the clock">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}"><input type="hidden" name="word" value="advance">
        <span class="group">
        <button id="step-hour" name="subject" value="1 hour" title="One hour later">+1 h</button>
        <button id="step-day" name="subject" value="1 day" title="One day later">+1 d</button>
        <button id="step-week" name="subject" value="7 days" title="One week later">+1 w</button>
        <button id="step-month" name="subject" value="1 month" title="One month later">+1 mo</button>
        <button id="step-year" name="subject" value="1 year" title="One year later">+1 y</button>
        </span>
        </form>
        <form class="jump" method="post" action="/page/steps" id="jump-form" aria-label="Jump">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}"><input type="hidden" name="word" value="advance to">
        <label class="unseen" for="jump">Jump to the time</label>
        <input id="jump" name="subject" value="{{jump}}" required placeholder="2026-12-31 09:00" size="17" autocomplete="off" spellcheck="false"{{#jumpProblem}} aria-invalid="true" aria-describedby="jump-error"{{/jumpProblem}}>
        <button id="jump-button" title="Advance to this time">Jump</button>{{#jumpProblem}}<span class="complaint" id="jump-error">{{jumpProblem}}</span>{{/jumpProblem}}
        </form>
        <form method="post" action="/page/steps" id="now-form" data-live aria-label="To this machine's time">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}"><input type="hidden" name="word" value="advance to">
        <button id="now-button" name="subject" value="now"{{#isAhead}} title="The store's clock is later than this machine's, and does not go back" disabled{{/isAhead}}{{^isAhead}} title="Advance to what this machine's clock shows"{{/isAhead}}>To now</button>
        </form>
        <div class="play" id="play" hidden>
        <label class="unseen" for="speed">Speed of time</label>
        <select id="speed">
        <option value="1 hour">1 hour/s</option>
        <option value="6 hours">6 hours/s</option>
        <option value="1 day" selected>1 day/s</option>
        <option value="7 days">1 week/s</option>
        <option value="1 month">1 month/s</option>
        </select>
        <button type="button" id="play-button" aria-pressed="false">▶ Play</button>
        </div>
        </div>
        </details>
        </section>
        </header>
        <div class="frame">
        <aside class="side" aria-label="Customers">
        <h2>Customers</h2>
        <details class="drawer" id="people-fold" open>
        <summary>Choose{{#person}} another{{/person}} customer</summary>
        <nav aria-label="Customers" data-live id="customers">
        <ul class="people">
        <li><a href="{{everyone.address}}" data-key="everyone"{{#everyone.isCurrent}} aria-current="true"{{/everyone.isCurrent}}>{{everyone.label}}</a></li>
        {{#customers}}<li><a href="{{address}}" data-key="customer {{name}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}><span class="name">{{name}}</span>{{#marks}} <span class="soft">{{.}}</span>{{/marks}}</a></li>
        {{/customers}}</ul>
        </nav>
        {{#search}}<form class="act" method="get" action="/" id="search-form" aria-label="Find a customer">
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">{{/kept}}
        <span class="field"><label for="search-person">one of {{peopleCount}}</label><input id="search-person" name="person" placeholder="a name" required autocomplete="off" spellcheck="false"></span>
        <button id="search-button">Find</button>
        </form>{{/search}}
        {{#newPerson}}<details class="more" id="side-more"{{#isOpen}} open{{/isOpen}}>
        <summary>New customer</summary>
        {{> act}}</details>{{/newPerson}}
        </details>
        </aside>
        {{#side}}
        {{> side}}
        {{/side}}
        <main id="main" tabindex="-1">
        <nav class="views" aria-label="Views">
        {{#views}}<a href="{{address}}" data-key="view {{label}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{label}}</a>
        {{/views}}<button type="button" class="keys" id="keys-button" hidden>Shortcuts</button></nav>
        {{#head}}
        {{> head}}
        {{/head}}
        {{#present}}
        {{> present}}
        {{/present}}
        {{#timeline}}
        {{> timeline}}
        {{/timeline}}
        {{#transactions}}
        {{> transactions}}
        {{/transactions}}
        {{#answers}}
        {{> answers}}
        {{/answers}}
        {{#notifications}}
        {{> notifications}}
        {{/notifications}}
        {{#book}}
        {{> book}}
        {{/book}}
        {{#happenings}}
        {{> story}}
        {{/happenings}}
        {{#settings}}
        {{> store}}
        {{/settings}}
        {{#saving}}
        {{> scenario}}
        {{/saving}}
        <div class="told">
        <div id="questions" data-live>{{#questions}}<p class="question">{{detail}} <a href="{{address}}">{{label}}</a></p>{{/questions}}</div>
        <div id="notices">
        {{#failure}}<section class="notice failure" role="alert"><p class="heading">{{heading}}</p><ul>{{#lines}}<li>{{.}}</li>{{/lines}}</ul></section>{{/failure}}
        {{#success}}<section class="notice success" role="status"><p class="heading">{{heading}}</p><ul>{{#lines}}<li>{{.}}</li>{{/lines}}</ul></section>{{/success}}
        </div>
        </div>
        </main>
        </div>
        {{#suggestions}}<datalist id="{{listID}}">{{#values}}<option value="{{.}}"></option>{{/values}}</datalist>
        {{/suggestions}}<dialog id="keys" aria-labelledby="keys-heading">
        <h2 id="keys-heading">Keyboard shortcuts</h2>
        <dl>
        <dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous row; in the table also <kbd>↓</kbd> <kbd>↑</kbd></dd>
        <dt><kbd>Enter</kbd></dt><dd>inspect the row; once more: go to its details</dd>
        <dt><kbd>Esc</kbd></dt><dd>close the details</dd>
        <dt><kbd>/</kbd></dt><dd>filter</dd>
        <dt><kbd>n</kbd></dt><dd>go to the next event</dd>
        <dt><kbd>p</kbd></dt><dd>play time, and pause</dd>
        <dt><kbd>Ctrl</kbd> <kbd>Z</kbd></dt><dd>undo; with <kbd>Shift</kbd> redo</dd>
        <dt><kbd>1</kbd> … <kbd>6</kbd></dt><dd>the views</dd>
        <dt><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></dt><dd>in the timeline: zoom, and show all; <kbd>←</kbd> <kbd>→</kbd> move it</dd>
        <dt><kbd>?</kbd></dt><dd>these keys</dd>
        </dl>
        <p class="check"><input type="checkbox" id="keys-on" checked><label for="keys-on">Single-key shortcuts</label></p>
        <form method="dialog"><button>Close</button></form>
        </dialog>
        </body>
        </html>

        """

    /// A form with all its fields.
    static let act = """
        <form class="act" method="post" action="{{target}}" id="{{formID}}">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/hidden}}
        {{#fields}}<span class="field"><label for="{{fieldID}}">{{fieldLabel}}</label>
        {{#text}}<input id="{{fieldID}}" name="{{fieldName}}" value="{{typed}}" placeholder="{{placeholder}}"{{#list}} list="{{list}}"{{/list}}{{#isNeeded}} required{{/isNeeded}}{{#problem}} aria-invalid="true" aria-describedby="{{fieldID}}-error"{{/problem}} autocomplete="off" spellcheck="false">{{/text}}{{#number}}<input id="{{fieldID}}" name="{{fieldName}}" value="{{typed}}" type="number" min="{{least}}" max="{{most}}"{{#isNeeded}} required{{/isNeeded}}{{#problem}} aria-invalid="true" aria-describedby="{{fieldID}}-error"{{/problem}}>{{/number}}{{#choices}}<select id="{{fieldID}}" name="{{fieldName}}"{{#problem}} aria-invalid="true" aria-describedby="{{fieldID}}-error"{{/problem}}>{{#none}}<option value="">{{none}}</option>{{/none}}{{#values}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/values}}</select>{{/choices}}{{#problem}}<span class="complaint" id="{{fieldID}}-error">{{problem}}</span>{{/problem}}</span>
        {{/fields}}{{#isDangerous}}{{> confirmation}}{{/isDangerous}}<button id="{{formID}}-button"{{#isDangerous}} class="danger"{{/isDangerous}}>{{actTitle}}</button>
        </form>

        """

    /// The form of an action for which a button is sufficient.
    static let press = """
        <form method="post" action="/page/steps" id="{{formID}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">{{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/hidden}}<button id="{{formID}}-button" title="{{help}}"{{^isPossible}} disabled{{/isPossible}}{{#isPressed}} aria-pressed="true"{{/isPressed}}>{{actTitle}}</button></form>

        """

    /// The selected customer's properties, the switch of payments, and other buttons.
    static let head = """
        <div class="head" data-live id="customer-head">
        <dl class="facts inline" id="customer-facts">{{#facts}}<div><dt>{{factName}}</dt><dd>{{factValue}}</dd></div>{{/facts}}</dl>
        <div class="near switch" role="group" aria-label="Payments of {{owner}}"><span class="soft">payments</span>
        {{#payments}}
        {{> press}}
        {{/payments}}</div>
        {{^empty(oneClick)}}<div class="near" role="group" aria-label="Actions on {{owner}}">
        {{#oneClick}}
        {{> press}}
        {{/oneClick}}</div>{{/empty(oneClick)}}
        </div>

        """

    /// Several actions, each in a collapsible section.
    static let acts = """
        <div class="acts">
        {{#acts}}<details id="{{formID}}-details"{{#isOpen}} open{{/isOpen}}>
        <summary>{{actTitle}} <span class="soft">{{help}}</span></summary>
        {{> act}}</details>
        {{/acts}}</div>

        """

    /// The checkbox that confirms an action that deletes data; the checkbox works without a script.
    static let confirmation = """
        <label class="confirm"><input type="checkbox" name="confirmed" value="yes" required> Yes; undo brings it back</label>
        """

    /// The links to the other pages of a long list.
    static let paging = """
        , {{span}}{{#earlier}} <a href="{{address}}" data-key="page {{label}}">{{label}}</a>{{/earlier}}{{#later}} <a href="{{address}}" data-key="page {{label}}">{{label}}</a>{{/later}}
        """

    /// A signed document, in its decoded form and as compact JWS.
    static let payload = """
        <details class="payload" id="payload-{{payloadID}}"{{#isOpen}} open{{/isOpen}}>
        <summary>{{payloadTitle}}</summary>
        <dl class="facts claims">{{#claims}}<div><dt>{{factName}}</dt><dd>{{factValue}}{{#hint}} <span class="soft">{{hint}}</span>{{/hint}}</dd></div>{{/claims}}</dl>
        <details id="json-{{payloadID}}"><summary>Payload as JSON</summary>
        <div class="copyable"><button type="button" class="copy" data-copy="text-{{payloadID}}" hidden>Copy<span class="unseen"> {{payloadTitle}} as JSON</span></button><pre id="text-{{payloadID}}" tabindex="0" role="region" aria-label="{{payloadTitle}} as JSON">{{json}}</pre></div></details>
        <div class="copyable"><button type="button" class="copy" data-copy="jws-{{payloadID}}" hidden>Copy<span class="unseen"> {{payloadTitle}} as compact JWS</span></button><pre class="jws" id="jws-{{payloadID}}" tabindex="0" role="region" aria-label="{{payloadTitle}} as compact JWS">{{jws}}</pre></div>
        </details>

        """
}
