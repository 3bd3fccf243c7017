import Storekeeper
import Testing

/// Methods that use a page only with the keyboard.
extension Browser {
    /// The element that has the focus.
    struct Focus {
        /// The id of the element, or else its key or its text; empty if no element has the focus.
        let name: String
        /// The faults of the element: it does not show the focus, is covered or outside of the window, or is not in the
        /// reading order after the previous element.
        let faults: [String]
    }

    /// Describes the focus, compared with the focus at the last call on the same page.
    ///
    /// - SeeAlso: WCAG 2.2, 2.4.3 "Focus Order", 2.4.7 "Focus Visible" and 2.4.11 "Focus Not Obscured".
    func focus(isBackwards: Bool = false) async throws -> Focus {
        let found =
            try await script(
                """
                const one = document.activeElement;
                const before = window.focusBefore;
                window.focusBefore = one;
                if (one === document.body) return [''];
                const faults = [];
                const looks = [getComputedStyle(one), getComputedStyle(one, '::after')];
                if (!looks.some((look) => look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) > 0)) {
                  faults.push('does not show that it has the focus');
                }
                const box = one.getBoundingClientRect();
                const parts = [0.02, 0.25, 0.5, 0.75, 0.98];
                const isSeen = parts.some((across) => parts.some((down) => {
                  const there = document.elementFromPoint(box.left + box.width * across, box.top + box.height * down);
                  return there && (one.contains(there) || (there !== document.body && there.contains(one)));
                }));
                if (!isSeen) faults.push('is covered or out of sight');
                if (before && before.isConnected && before !== document.body) {
                  const follows = before.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
                  if (before !== one && !follows === !\(isBackwards)) faults.push('comes too early');
                  const area = (other) => other.closest('form, nav, tr, ul, ol, header, section, aside, main');
                  const last = before.getBoundingClientRect();
                  const [first, second] = \(isBackwards) ? [box, last] : [last, box];
                  if (area(before) === area(one) && !one.closest('svg') && (second.bottom <= first.top
                      || (second.top < first.bottom && second.right <= first.left && second.bottom <= first.bottom))) {
                    faults.push('is drawn before the one before it');
                  }
                }
                return [one.id || one.dataset.key || one.textContent.trim() || one.tagName, ...faults];
                """
            ).array?.compactMap(\.string) ?? []
        return Focus(name: found.first ?? "", faults: Array(found.dropFirst()))
    }

    /// Returns whether the element that has the focus matches a selector.
    func isFocused(_ selector: String) async throws -> Bool {
        try await script("return document.activeElement.matches(\(JSONText.string(selector).text(.compact)))").bool
            ?? false
    }

    /// Presses the tab key until an element has the focus, and expects that each element that the key reaches shows its
    /// focus without a fault.
    func tab(
        to selector: String, isBackwards: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<200 {
            if isBackwards { try await press(.tab, holding: [.shift]) } else { try await press(.tab) }
            let focus = try await focus(isBackwards: isBackwards)
            #expect(focus.faults == [], "\(focus.name)", sourceLocation: sourceLocation)
            if try await isFocused(selector) { return }
        }
        throw Failure(description: "the tab key does not reach \(selector)")
    }

    /// Returns the elements that the tab key reaches until it leaves the page, in order, and expects that each shows
    /// its focus without a fault.
    func walk(isBackwards: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await script("window.focusBefore = null; window.walked = new Set()")
        var names: [String] = []
        for _ in 0..<500 {
            if isBackwards { try await press(.tab, holding: [.shift]) } else { try await press(.tab) }
            let focus = try await focus(isBackwards: isBackwards)
            if focus.name.isEmpty { return names }
            let isNew = try await script(
                "const one = document.activeElement; const is = !walked.has(one); walked.add(one); return is")
            if isNew.bool != true { return names }
            #expect(focus.faults == [], "\(focus.name)", sourceLocation: sourceLocation)
            names.append(focus.name)
        }
        throw Failure(description: "the tab key does not leave the page")
    }

    /// Chooses a value of the list that has the focus, with the arrow key.
    func chooseByKeys(_ value: String) async throws {
        for _ in 0..<100 {
            if try await script("return document.activeElement.value").string == value { return }
            try await press(.down)
        }
        throw Failure(description: "the arrow key does not reach \(value)")
    }

    /// Types a text into the field that has the focus.
    func typeByKeys(_ text: String) async throws {
        for letter in text { try await press(Key(rawValue: String(letter))) }
    }
}
