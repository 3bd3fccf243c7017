/// The keyboard shortcuts of undo and redo.
enum StoryScript {
    static let text = #"""
        // Undo and redo requests run one after another, so that each of several quick key presses has an effect.
        let moves = Promise.resolve();

        function move(act) {
          moves = moves.then(() => {
            const form = $("#story-form");
            const button = form && $(`[name=act][value=${act}]`, form);
            if (!button || button.disabled) return;
            const body = new URLSearchParams([...new FormData(form)]);
            body.set("act", act);
            return visit(form.action, { form, body });
          });
        }

        document.addEventListener("keydown", (event) => {
          if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented || $("dialog[open]")) return;
          const key = event.key.toLowerCase();
          const isRedo = (key === "z" && event.shiftKey) || (key === "y" && event.ctrlKey && !event.shiftKey);
          if (key !== "z" && !isRedo) return;
          // In a text field, these keys undo or redo typing.
          if (document.activeElement.matches("input:not([type=checkbox], [type=radio]), textarea")) return;
          event.preventDefault();
          move(isRedo ? "redo" : "undo");
        });

        """#
}
