/// The colors of the page, light and dark.
///
/// Each color has the contrast on its backgrounds that WCAG 2.2, level AA, requires: 4.5 to 1 for text, 3 to 1 for the
/// borders of controls. Tests compute the contrast.
package enum PagePalette {
    package static let text = """
        :root {
          color-scheme: light dark;
          --page: #f4f6f8;
          --panel: #ffffff;
          --sunken: #eef1f5;
          --selected: #e3edfd;
          --ink: #171c22;
          --soft: #525d69;
          --line: #d8dee5;
          --border: #7f8a96;
          --link: #0a58c2;
          --focus: #0a58c2;
          --primary: #0a58c2;
          --on-primary: #ffffff;
          --good: #11653c;
          --good-ground: #e2f4ea;
          --warn: #7f4a00;
          --warn-ground: #fdf0d5;
          --bad: #ab1f16;
          --bad-ground: #fde9e7;
          --waiting: #5a3aa8;
          --waiting-ground: #eeeafb;
          --over: #4a5561;
          --over-ground: #e9edf1;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --page: #0e1217;
            --panel: #161b22;
            --sunken: #0b0f13;
            --selected: #1a2c49;
            --ink: #e5eaf0;
            --soft: #a0acb9;
            --line: #2a323c;
            --border: #758290;
            --link: #82b4ff;
            --focus: #82b4ff;
            --primary: #2867d3;
            --on-primary: #ffffff;
            --good: #68d79f;
            --good-ground: #12291f;
            --warn: #eabb55;
            --warn-ground: #2e2410;
            --bad: #ff9a8f;
            --bad-ground: #351a18;
            --waiting: #c3aefa;
            --waiting-ground: #261f3d;
            --over: #b2bcc7;
            --over-ground: #232a33;
          }
        }

        """
}
