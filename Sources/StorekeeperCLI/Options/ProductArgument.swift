/// The order of the arguments of a question about a product: the product, then evidence files.
enum ProductArgument {
    /// Throws an error with status 64 if a file is named first, and the product after it.
    ///
    /// A product whose id is also the name of a file is accepted if all evidence files exist.
    static func checkOrder(_ words: [String], of command: String) throws(CommandError) {
        guard let first = words.first, SystemFile.status(of: first)?.isRegular == true,
            let index = words.indices.dropFirst().first(where: { isAbsent(words[$0]) })
        else { return }
        var ordered = words
        let product = ordered.remove(at: index)
        ordered.insert(product, at: 0)
        throw .usage(
            "'\(first)' is a file, and '\(product)' is not", at: "PRODUCT",
            "name the product first: \((["storekeeper", command] + ordered).shellLine)")
    }

    private static func isAbsent(_ word: String) -> Bool {
        word != InputFile.standardInputName && SystemFile.status(of: word) == nil
    }
}
