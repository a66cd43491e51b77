import StoreModels

/// Devices as `storebus device list` shows them.
package enum DeviceTable {
    /// `{"account":"alice","bundleId":"com.example.app","device":"alice-1","transactions":3,"unfinished":1}`
    package struct Device: Hashable, Sendable, Codable {
        package var device: String
        package var account: String
        package var bundleId: String
        /// Caused by this device.
        package var transactions: Int
        package var unfinished: Int
    }

    /// In the order of their accounts and names.
    package static func devices(_ rows: [TransactionTable.Row]) -> [Device] {
        let groups = Dictionary(grouping: rows) { row in
            [row.account, row.transaction.originDeviceId, row.bundleId]
        }
        return groups.map { key, rows in
            Device(
                device: key[1], account: key[0], bundleId: key[2], transactions: rows.count,
                unfinished: rows.count { !$0.isFinished })
        }.sorted { ($0.account, $0.device, $0.bundleId) < ($1.account, $1.device, $1.bundleId) }
    }

    package static func table(_ devices: [Device]) -> Table {
        var table = Table([
            .init("DEVICE"), .init("ACCOUNT"), .init("APP"), .init("TRANSACTIONS", .right), .init("UNFINISHED", .right),
        ])
        for one in devices {
            table.add([one.device, one.account, one.bundleId, "\(one.transactions)", "\(one.unfinished)"])
        }
        return table
    }
}
