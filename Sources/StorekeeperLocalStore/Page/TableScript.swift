/// The script of the table of transactions, which filters the table while the user types.
enum TableScript {
    static let text = #"""
        // Replaces the content of an element. In a table, only changed rows are replaced; rows are identified by their
        // ids.
        function replaceContent(part, news) {
          const [body, rows] = [$("tbody", part), $("tbody", news)];
          if (!body || !rows || !$("tr[id]", body)) return void part.replaceChildren(...news.childNodes);
          const ids = new Set([...rows.children].map((row) => row.id));
          for (const one of [...body.children]) if (!one.id || !ids.has(one.id)) one.remove();
          const known = new Map([...body.children].map((one) => [one.id, one]));
          let place = body.firstElementChild;
          for (const row of [...rows.children]) {
            const old = known.get(row.id);
            if (old && old === place) place = place.nextElementSibling;
            if (old && old.isEqualNode(row)) {
              if (old.nextElementSibling !== place) body.insertBefore(old, place);
            } else {
              if (old) old.remove();
              body.insertBefore(row, place);
            }
          }
          for (const one of [...part.children]) {
            if (one.contains(body)) {
              const heads = $("thead", news);
              if (heads && !heads.isEqualNode($("thead", one))) $("thead", one).replaceWith(heads);
            } else {
              one.remove();
            }
          }
          const table = [...part.children].find((one) => one.contains(body));
          for (const one of [...news.children]) if (!$("tbody", one) && one !== rows) part.insertBefore(one, table);
        }

        let findTimer = 0;
        let findTurn = 0;

        // Filters by the typed words. Only live elements such as the table are updated, so that the suggestions and the
        // caret stay.
        async function find() {
          const form = $("#filter-form");
          if (!form) return;
          const sent = new FormData(form);
          const url = `/?${new URLSearchParams([...sent].filter(([, value]) => value !== ""))}`;
          const [mine, before] = [++findTurn, turn];
          try {
            const answer = await fetch(url);
            const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
            if (mine !== findTurn || before !== turn || !fresh.getElementById("listing")) return;
            history.replaceState(null, "", url);
            takeLive(fresh);
            // Makes the sent values the defaults of the fields. Otherwise, the page would restore them as typed texts
            // when the filter is cleared.
            for (const field of $$("input[name]", form)) field.defaultValue = sent.get(field.name) ?? "";
            for (const one of $$("option", form)) one.defaultSelected = sent.get(one.parentElement.name) === one.value;
            reachable(true);
          } catch {
            reachable(false);
          }
        }

        document.addEventListener("input", (event) => {
          clearTimeout(findTimer);
          if (event.target.id === "find") findTimer = setTimeout(find, 200);
        });

        document.addEventListener("submit", () => clearTimeout(findTimer), true);

        """#
}
