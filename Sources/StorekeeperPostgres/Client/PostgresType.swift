/// A built-in data type of PostgreSQL; its OID is the same on every server.
struct PostgresType: Hashable, Sendable {
    let oid: UInt32
    let name: String

    static let bool = PostgresType(oid: 16, name: "boolean")
    static let bytes = PostgresType(oid: 17, name: "bytea")
    static let int8 = PostgresType(oid: 20, name: "bigint")
    static let int4 = PostgresType(oid: 23, name: "integer")
    static let text = PostgresType(oid: 25, name: "text")
    static let bools = PostgresType(oid: 1000, name: "boolean[]")
    static let bytesArray = PostgresType(oid: 1001, name: "bytea[]")
    static let int8s = PostgresType(oid: 1016, name: "bigint[]")
    static let texts = PostgresType(oid: 1009, name: "text[]")

    /// The type of the arrays of this type.
    var array: PostgresType {
        switch self {
        case .bool: .bools
        case .bytes: .bytesArray
        case .int8: .int8s
        default: .texts
        }
    }
}
