import StoreModels

/// Downloads as `storebus download` shows them.
enum DownloadTable {
    /// A download with the transaction it comes with.
    struct Row: Hashable, Sendable {
        var download: Download
        var transaction: PaymentTransaction

        /// The download's own members, and the name people know its transaction by.
        var json: JSONValue {
            var members = JSONText.value(download).objectValue ?? [:]
            members["transactionIdentifier"] = .string(Words.name(transaction))
            members["productIdentifier"] = .string(transaction.payment.productIdentifier)
            return .object(members)
        }
    }

    static func rows(_ transactions: [PaymentTransaction]) -> [Row] {
        transactions.flatMap { transaction in
            transaction.downloads.map { Row(download: $0, transaction: transaction) }
        }
    }

    static func table(_ rows: [Row]) -> Table {
        var table = Table([
            .init("DOWNLOAD"), .init("STATE", isState: true), .init("CONTENT"), .init("VERSION"),
            .init("BYTES", .right), .init("TRANSACTION"), .init("REMARKS"),
        ])
        for row in rows {
            let download = row.download
            table.add([
                download.id, download.state.rawValue, download.contentIdentifier, download.contentVersion,
                "\(download.contentLength)", Words.name(row.transaction), remarks(download),
            ])
        }
        return table
    }

    /// `d_01j…  waiting  com.example.guide 1.0, 73412 bytes`
    static func line(_ download: Download) -> String {
        let content =
            "\(download.contentIdentifier) \(download.contentVersion), \(Words.size(download.contentLength))"
        return [download.id, download.state.rawValue, content, remarks(download)].filter { !$0.isEmpty }
            .joined(separator: "  ")
    }

    /// What a change of state is answered with.
    static func answer(_ row: Row, account: String) -> Answer {
        let download = row.download
        let state = download.state.rawValue
        let rest = line(download)
        return Answer(data: row.json, names: [download.id], next: next(row, account: account)) { style in
            let words = rest.split(separator: " ", omittingEmptySubsequences: false)
            return words.map { $0 == state ? style.paint(state, .of(state: state)) : String($0) }
                .joined(separator: " ") + "\n"
        }
    }

    /// What is useful after having seen it.
    static func next(_ row: Row, account: String) -> String {
        let download = row.download
        return switch download.state {
        case .waiting, .active, .failed: "storebus download fetch \(download.id) --as \(account)"
        case .paused: "storebus download resume \(download.id) --as \(account)"
        case .finished, .cancelled: Words.finish(row.transaction, as: account)
        }
    }

    private static func remarks(_ download: Download) -> String {
        download.error.map { "\($0.name) (\($0.code))" } ?? ""
    }
}
