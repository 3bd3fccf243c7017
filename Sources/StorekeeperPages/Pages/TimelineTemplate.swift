/// The timeline of a customer.
package enum TimelineTemplate {
    package static let text = """
        <section class="timeline-section" data-live id="timeline" aria-labelledby="timeline-heading">
        <header><h2 id="timeline-heading">Timeline of {{customer}}</h2>
        {{^empty(parts)}}<nav class="timeline-parts" aria-label="Part of the timeline">{{#parts}}<a class="button" href="{{address}}" data-key="part {{label}}" title="{{detail}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}><span aria-hidden="true">{{label}}</span><span class="unseen">{{detail}}</span></a>{{/parts}}</nav>{{/empty(parts)}}
        </header>
        {{#complaint}}<p class="complaint" role="alert">{{complaint}}</p>{{/complaint}}
        {{#moment}}<div class="panel moment" id="moment">
        <p class="heading"><strong>As of {{time}}</strong> ({{distance}}): {{#isFuture}}what is expected for then{{/isFuture}}{{^isFuture}}what was known then{{/isFuture}}. <a href="{{presentAddress}}" id="to-present">Back to the present</a></p>
        {{^empty(answers)}}<ul class="moment-answers">{{#answers}}<li>{{subject}} <span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{word}}</span> <span class="soft">{{reasonWord}}</span></li>{{/answers}}</ul>{{/empty(answers)}}
        {{#news}}<p class="news">{{.}}</p>{{/news}}
        </div>{{/moment}}
        <div class="timeline-frame" id="timeline-frame" tabindex="0" role="region" aria-label="Timeline of {{customer}}, drawn{{#interaction}}; plus and minus zoom, the arrow keys move, 0 shows all{{/interaction}}"{{#interaction}} data-at-address="{{atAddress}}" data-span-address="{{spanAddress}}" data-all-address="{{allAddress}}" data-first="{{first}}" data-last="{{last}}"{{/interaction}}>
        {{{picture}}}
        <p class="tip" id="timeline-tip" hidden></p>
        </div>
        <ul class="legend" aria-label="Legend">{{#legend}}<li>{{{picture}}} {{meaning}}</li>{{/legend}}</ul>
        <div class="timeline-foot">
        <p class="soft">{{#next}}Next: {{next}}.{{/next}}{{^next}}No change is expected.{{/next}} <a href="{{file}}" data-key="timeline file">SVG</a></p>
        {{#interaction}}<form class="act" method="get" action="{{action}}" id="at-form" aria-label="Answers at an instant">
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">{{/kept}}
        <label for="at-field">answers as of</label> <input id="at-field" name="at" value="{{typed}}" placeholder="2026-03-01T09:30Z" size="20" autocomplete="off" spellcheck="false">
        <button id="at-button">Show</button>
        </form>{{/interaction}}
        </div>
        <details id="runs"><summary>As a table</summary>
        {{#runsNote}}<p class="soft">{{runsNote}}</p>{{/runsNote}}
        <div class="scroll"><table class="list"><caption class="unseen">The timeline as a table</caption><thead><tr><th scope="col">Product or feature</th><th scope="col">Answer</th><th scope="col">Reason</th><th scope="col">From</th><th scope="col">Until</th></tr></thead>
        <tbody>{{#runs}}<tr><th scope="row">{{subject}}</th><td>{{answer}}</td><td class="reason">{{reason}}</td><td>{{#address}}<a href="{{address}}">{{from}}</a>{{/address}}{{^address}}{{from}}{{/address}}</td><td>{{until}}</td></tr>
        {{/runs}}</tbody></table></div></details>
        </section>

        """
}
