/// The templates for the steps next to every view, and for the view of all steps and branches.
enum StoryTemplates {
    static let side = """
        <section class="story-side" aria-labelledby="story-side-heading" data-live id="story-side">
        <h2 id="story-side-heading">Story <span class="soft">{{branchName}}</span></h2>
        <form method="post" action="/page/story" id="story-form" aria-label="Undo, redo and go to a step">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">
        <span class="group"><button id="undo-button" name="act" value="undo" title="{{#undo}}Undo: {{undo}}{{/undo}}{{^undo}}Nothing to undo{{/undo}}"{{^undo}} disabled{{/undo}}>Undo</button> <button id="redo-button" name="act" value="redo" title="{{#redo}}Redo: {{redo}}{{/redo}}{{^redo}}Nothing to redo{{/redo}}"{{^redo}} disabled{{/redo}}>Redo</button></span>
        <ol class="path">{{#earlier}}<li class="soft">{{earlier}} earlier</li>{{/earlier}}
        {{#steps}}<li><button name="step" value="{{stepID}}" id="side-step-{{stepID}}"{{#isCurrent}} aria-current="step"{{/isCurrent}}{{#isUndone}} class="undone"{{/isUndone}}><span class="unseen">Go to: </span><span class="words">{{words}}</span> <span class="soft">{{time}}{{#isUndone}}, undone{{/isUndone}}</span></button></li>
        {{/steps}}{{#later}}<li class="soft">{{later}} later</li>{{/later}}</ol>
        </form>
        <p><a href="{{allAddress}}" data-key="all steps">All steps and branches</a></p>
        <p><a href="{{saveAddress}}" data-key="save story">Save as a test</a></p>
        </section>

        """

    static let book = """
        <section aria-labelledby="book-heading" class="book">
        <h2 id="book-heading">Story: {{branchName}}</h2>
        <div data-live id="book-steps">
        <form method="post" action="/page/story" id="story-form" aria-label="Undo, redo and go to a step">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">
        <p class="near"><button id="undo-button" name="act" value="undo" title="{{#undo}}Undo: {{undo}}{{/undo}}{{^undo}}Nothing to undo{{/undo}}"{{^undo}} disabled{{/undo}}>Undo</button> <button id="redo-button" name="act" value="redo" title="{{#redo}}Redo: {{redo}}{{/redo}}{{^redo}}Nothing to redo{{/redo}}"{{^redo}} disabled{{/redo}}>Redo</button> <span class="soft">Going to a step returns the store to its state after that step; no step is lost, and an action from there begins a branch.</span> <a href="{{saveAddress}}" data-key="save story">Save as a test</a></p>
        <p class="count">{{count}} steps, newest first{{#paging}}{{> paging}}{{/paging}}</p>
        <ol class="story" reversed>{{#steps}}<li{{#isCurrent}} class="current" aria-current="step"{{/isCurrent}}{{#isUndone}} class="undone"{{/isUndone}}><span class="when">{{time}}</span> <span class="what"><span class="words">{{words}}</span>{{#notes}} <span class="note">{{.}}</span>{{/notes}}{{#isUndone}} <span class="note">undone</span>{{/isUndone}}</span> <span class="there">{{#isCurrent}}<strong>here</strong>{{/isCurrent}}{{^isCurrent}}<button name="step" value="{{stepID}}" id="step-{{stepID}}-button">Go<span class="unseen"> to: {{words}}</span></button>{{/isCurrent}}</span></li>
        {{/steps}}</ol>
        </form>
        </div>
        <section aria-labelledby="branches-heading"><h3 id="branches-heading">Branches</h3>
        <div class="scroll" data-live id="branches"><table class="list"><caption class="unseen">Branches of the story</caption>
        <thead><tr><th scope="col">Branch</th><th scope="col">Last step</th><th scope="col">Time</th><th scope="col">Differs since</th><th scope="col">Actions</th></tr></thead>
        <tbody>{{#branches}}<tr{{#isCurrent}} class="selected"{{/isCurrent}}><th scope="row">{{branchName}} <span class="soft">{{stepCount}} steps</span></th><td>{{lastWords}}</td><td class="time">{{lastTime}}</td><td>{{#isCurrent}}<strong>current</strong>{{/isCurrent}}{{^isCurrent}}{{since}}{{/isCurrent}}</td><td><form class="act branch" method="post" action="/page/story" id="branch-{{branchID}}" aria-label="{{branchName}}">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}"><input type="hidden" name="branch" value="{{branchID}}">
        <label class="unseen" for="branch-{{branchID}}-name">Name of {{branchName}}</label><input id="branch-{{branchID}}-name" name="name" value="{{branchName}}" maxlength="60" autocomplete="off"> <button name="act" value="name" id="branch-{{branchID}}-rename">Name</button>{{^isCurrent}} <button name="act" value="go" id="branch-{{branchID}}-go">Go</button> <button class="danger" name="act" value="delete" id="branch-{{branchID}}-delete">Delete</button>{{/isCurrent}}
        </form></td></tr>
        {{/branches}}</tbody></table>
        {{#omitted}}<p class="count">{{omitted}} older branches are not shown; the control interface lists them.</p>{{/omitted}}
        {{#deleted}}<form class="act deleted" method="post" action="/page/story" id="deleted-{{branchID}}" aria-label="Restore {{branchName}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}"><input type="hidden" name="branch" value="{{branchID}}"><span class="soft">deleted: {{branchName}}</span> <button name="act" value="restore" id="deleted-{{branchID}}-button">Restore<span class="unseen"> {{branchName}}</span></button></form>
        {{/deleted}}</div>
        {{#hasSeveral}}<form class="act compare" method="get" action="/" id="compare-form" aria-label="Compare two branches">
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">{{/kept}}
        <span class="field"><label for="compare-first">compare</label><select id="compare-first" name="first">{{#firsts}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/firsts}}</select></span>
        <span class="field"><label for="compare-second">with</label><select id="compare-second" name="second">{{#seconds}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/seconds}}</select></span>
        <button id="compare-button">Compare</button>
        </form>{{/hasSeveral}}
        </section>
        {{#comparison}}
        {{> comparison}}
        {{/comparison}}
        </section>

        """

    static let comparison = """
        <section class="panel comparison" id="comparison" aria-labelledby="comparison-heading" tabindex="-1">
        <header><h3 id="comparison-heading">{{firstName}} and {{secondName}}</h3><a class="button close" id="comparison-close" href="{{closeAddress}}">Close</a></header>
        <p class="soft">The last common step is '{{commonWords}}', {{commonTime}}. Customers that changed since then: {{customerCount}}{{#isCut}}; not all of them are shown{{/isCut}}.</p>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="comparison-heading"><table class="list"><caption class="unseen">What the customers have at the end of both branches</caption>
        <thead><tr><th scope="col">Customer</th><th scope="col">Product or balance</th><th scope="col">{{firstName}} <span class="soft">{{firstTime}}</span></th><th scope="col">{{secondName}} <span class="soft">{{secondTime}}</span></th><th scope="col">Result</th></tr></thead>
        <tbody>{{#rows}}<tr{{#differs}} class="differs"{{/differs}}><th scope="row">{{customer}}</th><td>{{subject}}{{#app}} <span class="soft">{{app}}</span>{{/app}}</td><td>{{first}}</td><td>{{second}}</td><td>{{#differs}}<strong>differs</strong>{{/differs}}{{^differs}}<span class="soft">same</span>{{/differs}}</td></tr>
        {{/rows}}{{^rows}}<tr class="none"><td colspan="5">No customer differs.</td></tr>{{/rows}}</tbody></table></div>
        </section>

        """
}
