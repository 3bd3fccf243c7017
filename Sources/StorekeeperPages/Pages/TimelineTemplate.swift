/// The template for the timeline of a customer.
package enum TimelineTemplate {
    package static let text = """
        <section class="timeline-section" data-live id="timeline" aria-labelledby="timeline-heading">
        <header><h{{level}} id="timeline-heading">{{heading}}</h{{level}}>
        {{^empty(parts)}}<nav class="timeline-parts" aria-label="{{words.parts}}">{{#parts}}<a class="button" href="{{address}}" data-key="part {{label}}" title="{{detail}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}><span aria-hidden="true">{{label}}</span><span class="unseen">{{detail}}</span></a>{{/parts}}</nav>{{/empty(parts)}}
        </header>
        {{#complaint}}<p class="complaint" role="alert">{{complaint}}</p>{{/complaint}}
        {{#moment}}<div class="panel moment" id="moment">
        <p class="heading"><strong>{{time}}</strong> ({{distance}}): {{#isFuture}}{{words.expectedThen}}{{/isFuture}}{{^isFuture}}{{words.knownThen}}{{/isFuture}}. <a href="{{presentAddress}}" id="to-present">{{words.toPresent}}</a></p>
        {{^empty(answers)}}<ul class="moment-answers">{{#answers}}<li>{{subject}} <span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{word}}</span> <span class="soft">{{reasonWord}}</span></li>{{/answers}}</ul>{{/empty(answers)}}
        {{#news}}<p class="news">{{.}}</p>{{/news}}
        </div>{{/moment}}
        {{$above}}{{/above}}
        <div class="timeline-frame" id="timeline-frame" tabindex="0" role="region" aria-label="{{region}}"{{#interaction}} data-at-address="{{atAddress}}" data-span-address="{{spanAddress}}" data-all-address="{{allAddress}}" data-first="{{first}}" data-last="{{last}}"{{/interaction}}>
        {{{picture}}}
        <p class="tip" id="timeline-tip" hidden></p>
        </div>
        <ul class="legend" aria-label="{{words.legend}}">{{#legend}}<li>{{{picture}}} {{meaning}}</li>{{/legend}}</ul>
        <div class="timeline-foot">
        <p class="soft">{{next}}{{#file}} <a href="{{file}}" data-key="timeline file">SVG</a>{{/file}}</p>
        {{$form}}{{#interaction}}<form class="act" method="get" action="{{action}}" id="at-form" aria-label="{{words.form}}">
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">{{/kept}}
        <label for="at-field">{{words.field}}</label> <input id="at-field" name="at" value="{{typed}}" placeholder="2026-03-01 09:30" size="20" autocomplete="off" spellcheck="false">
        <button id="at-button">{{words.show}}</button>
        </form>{{/interaction}}{{/form}}
        </div>
        <details id="runs"><summary>{{words.table}}</summary>
        {{#runsNote}}<p class="soft">{{runsNote}}</p>{{/runsNote}}
        <div class="scroll"><table class="list"><caption class="unseen">{{words.caption}}</caption><thead><tr><th scope="col">{{words.subject}}</th><th scope="col">{{words.answer}}</th><th scope="col">{{words.reason}}</th><th scope="col">{{words.from}}</th><th scope="col">{{words.until}}</th></tr></thead>
        <tbody>{{#runs}}<tr><th scope="row">{{subject}}</th><td>{{answer}}</td><td class="reason">{{reason}}</td><td>{{#address}}<a href="{{address}}">{{from}}</a>{{/address}}{{^address}}{{from}}{{/address}}</td><td>{{until}}</td></tr>
        {{/runs}}</tbody></table></div></details>
        </section>

        """
}
