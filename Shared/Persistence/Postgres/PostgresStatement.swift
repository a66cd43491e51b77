internal import CPostgres

/// A statement a connection has prepared.
final class PostgresStatement {
    /// Its name on the server.
    let name: String
    let parameterCount: Int
    /// The request that sent the PREPARE, until the server has answered it.
    var preparing: PostgresRequestState?
    /// The time of its last use, in statements of the connection.
    var lastUse = 0
    private var columns: SQLColumns?
    private var types: [Oid] = []

    init(name: String, parameterCount: Int) {
        self.name = name
        self.parameterCount = parameterCount
    }

    /// The rows of a result, whose columns are remembered for the next one.
    func rows(_ result: OpaquePointer, max: Int) throws(PersistenceError) -> [SQLRow] {
        let columns = columns(of: result)
        var rows: [SQLRow] = []
        let count = Swift.min(Int(PQntuples(result)), max)
        rows.reserveCapacity(count)
        for row in 0..<count {
            var values: [SQLValue] = []
            values.reserveCapacity(types.count)
            for (index, type) in types.enumerated() {
                values.append(try PostgresValue.read(result, CInt(row), CInt(index), type))
            }
            rows.append(SQLRow(columns, values))
        }
        return rows
    }

    private func columns(of result: OpaquePointer) -> SQLColumns {
        if let columns { return columns }
        let range = 0..<PQnfields(result)
        let made = SQLColumns(range.map { String(cString: PQfname(result, $0)) })
        types = range.map { PQftype(result, $0) }
        columns = made
        return made
    }
}
