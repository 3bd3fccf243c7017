/// The script of pages with a copy button, which copies a text to the clipboard.
package enum ClipboardScript {
    /// The function `copy(text)`, which is inserted into the function of a page's own script.
    package static let text = #"""
        // Copies a text. If the page may not use the clipboard, the text is copied from a temporary text field.
        async function copy(text) {
          try {
            await navigator.clipboard.writeText(text);
          } catch {
            const area = document.createElement("textarea");
            area.value = text;
            document.body.append(area);
            area.select();
            document.execCommand("copy");
            area.remove();
          }
        }

        """#
}
