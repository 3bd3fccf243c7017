/// The font sizes, spaces and corner radii of the page.
///
/// Style sheets use only these sizes, so that similar parts of a page have the same size. The unit is the font size of
/// the root element, 14 pixels, so that all sizes change together with that font size.
package enum PageScale {
    package static let text = """
        :root {
          --type-small: .82rem;
          --type-note: .88rem;
          --type-title: 1.14rem;
          --space-1: .15rem;
          --space-2: .3rem;
          --space-3: .57rem;
          --space-4: .86rem;
          --space-5: 1.14rem;
          --space-6: 1.72rem;
          --radius-small: .2rem;
          --radius: .35rem;
          --radius-large: .5rem;
        }

        """
}
