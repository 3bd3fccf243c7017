import FoundationEssentials

extension RemoteProductList.Cache {
    /// Returns a cache that stores the copy in one file: the ETag on the first line, then the list.
    ///
    /// The ETag and the list are in one file, so that they always belong together. If an older list were stored with
    /// the ETag of a newer list, the server would not send the newer list again.
    ///
    /// - Parameter path: The path of the file; its folder must exist.
    public static func file(_ path: String) -> Self {
        Self {
            guard let content = FileManager.default.contents(atPath: path), let end = content.firstIndex(of: lineFeed)
            else { return nil }
            let etag = String(decoding: content[..<end], as: UTF8.self)
            return RemoteProductList.Copy(
                bytes: [UInt8](content[content.index(after: end)...]), etag: etag.isEmpty ? nil : etag)
        } save: { copy in
            var content = Data((copy.etag ?? "").utf8.filter { $0 != lineFeed })
            content.append(lineFeed)
            content.append(contentsOf: copy.bytes)
            try content.write(to: URL(filePath: path), options: .atomic)
        }
    }

    private static var lineFeed: UInt8 { UInt8(ascii: "\n") }
}
