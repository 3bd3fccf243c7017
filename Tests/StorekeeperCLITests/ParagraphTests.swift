import Testing

@testable import StorekeeperCLI

@Suite("Paragraphs") struct ParagraphTests {
    @Test(
        "A paragraph is wrapped between words, and a word that does not fit has its own line",
        arguments: [
            ("one two three", 7, "", "", ["one two", "three"]),
            ("one two three", 9, "→ ", "  ", ["→ one two", "  three"]),
            ("incomprehensibilities of it", 8, "", "", ["incomprehensibilities", "of it"]),
            ("", 8, "  ", "  ", ["  "]),
            ("a\nb", 8, "", "", ["a b"]),
            ("日本語 の本", 9, "", "", ["日本語", "の本"]),
        ] as [(String, Int, String, String, [String])])
    func lines(text: String, width: Int, first: String, indent: String, expected: [String]) {
        #expect(Paragraph.lines(text, width: width, first: first, indent: indent) == expected)
    }
}
