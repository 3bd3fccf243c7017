/// The form that saves the story as a test.
enum SavingTemplate {
    static let text = """
        <section aria-labelledby="test-heading"><h3 id="test-heading">Save as a test</h3>
        <p>The same story, which fails if an answer that you tick is ever different. It runs where you save it, with <code>storekeeper</code> on the PATH.</p>
        <form class="saving" method="get" action="/page/test" id="test-form" data-download aria-label="Save as a test">
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">{{/kept}}
        <div data-live id="expectations">{{#customers}}<details class="panel" id="{{detailsID}}"{{#isOpen}} open{{/isOpen}}>
        <summary><span class="name">{{customerName}}</span> <span class="soft">{{summary}}</span></summary>
        {{#groups}}<fieldset><legend>{{legend}}</legend>
        {{#items}}<label class="tick"><input type="checkbox" id="{{tickID}}" name="expect" value="{{expectation}}"{{#isTicked}} checked{{/isTicked}}> <span>{{subject}}</span> <span class="value">{{words}}</span></label>
        {{/items}}</fieldset>
        {{/groups}}{{^groups}}<p class="soft">Nothing to expect.</p>{{/groups}}</details>
        {{/customers}}{{#isPartial}}<p class="soft">Choose a customer to see the others' answers, too.</p>{{/isPartial}}</div>
        <h4>Save it as</h4>
        <ul class="saving-formats" aria-label="Form of the test">{{#formats}}<li><button id="save-{{format}}" name="format" value="{{format}}" aria-describedby="save-{{format}}-help"{{#first()}} class="primary"{{/first()}}>{{label}}</button> <span class="soft" id="save-{{format}}-help">{{help}}</span></li>
        {{/formats}}</ul>
        </form>
        </section>

        """
}

/// The style of the form that saves the story as a test.
enum SavingStyle {
    static let text = """
        .saving { display: grid; gap: var(--space-3); }
        .saving .panel { padding: var(--space-1) var(--space-4); }
        .saving .panel + .panel { margin-top: var(--space-2); }
        .saving summary .name { font-weight: 600; }
        .saving fieldset { border: 0; border-top: 1px solid var(--line); margin: var(--space-2) 0 0; padding: var(--space-2) 0 var(--space-2); min-width: 0; }
        .saving legend { font-size: var(--type-note); color: var(--soft); padding: var(--space-3) var(--space-3) 0 0; float: left; width: 100%;
          overflow-wrap: anywhere; }
        .tick { display: grid; grid-template-columns: 1.4rem minmax(0, 1fr) minmax(0, 1fr); gap: var(--space-3); clear: both;
          min-height: 1.85rem; padding: var(--space-1) var(--space-1); border-radius: var(--radius); overflow-wrap: anywhere; cursor: pointer; }
        .tick:hover { background: var(--over-ground); }
        .tick input { width: 1.1rem; height: 1.1rem; margin: var(--space-1) 0; accent-color: var(--primary); }
        .tick .value { color: var(--soft); }
        @media (max-width: 40rem) { .tick { grid-template-columns: 1.4rem minmax(0, 3fr) minmax(0, 2fr); } }
        .saving h4 { font-size: var(--type-note); margin: var(--space-2) 0 0; }
        .saving-formats { display: grid; gap: var(--space-2); margin: var(--space-2) 0; }
        .saving-formats li { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: var(--space-4); align-items: center; }
        .saving-formats button { justify-content: center; }

        """
}
