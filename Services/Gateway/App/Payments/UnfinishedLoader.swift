import BusClient
import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// Requests devices' unfinished transactions without caching. Under load simultaneous requests are sent as one batch,
/// after the clients' requests arrived.
typealias UnfinishedLoader = DataLoader<AllApps, SnapshotRequest, UnfinishedPage>

extension UnfinishedLoader {
    convenience init(bus: any BusClient, services: ServiceCaller) {
        self.init(
            bus: bus, service: .paymentQueue, batchMax: UnfinishedListsRequest.listsMax
        ) { (_, list, context) async throws(StoreError) in
            let snapshot = try await services.call(
                PaymentEndpoints.snapshot(as: PresentedTransaction.self), list, context: context)
            return try UnfinishedPage(snapshot, for: list.deviceId)
        } many: { (_, lists, context) async throws(StoreError) in
            try await services.call(
                PaymentEndpoints.unfinishedLists, UnfinishedListsRequest(lists: lists), context: context
            ).pages.map { page in page.map(UnfinishedPage.init(bytes:)) }
        }
    }
}

/// A page of a device's unfinished transactions, as ``TransactionsPage``, that forwards PaymentQueue's bytes.
struct UnfinishedPage: JSONForm, WrittenForm {
    typealias Body = TransactionsPage

    fileprivate let bytes: ArraySlice<UInt8>

    fileprivate init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Writes the transactions of a snapshot that the device may see.
    fileprivate init(
        _ snapshot: SnapshotOf<PresentedTransaction>, for deviceId: String
    ) throws(StoreError) {
        do {
            bytes = try StoreJSON.encode(
                ForwardedTransactions(
                    transactions: snapshot.transactions.filter { $0.isVisible(to: deviceId) }, after: snapshot.after)
            )[...]
        } catch {
            throw StoreError(.internal, "the transactions cannot be written as JSON: \(error)")
        }
    }

    func encode(to encoder: any Encoder) throws { try RawJSON(Array(bytes)).encode(to: encoder) }

    func written() -> [UInt8] { Array(bytes) }
}

/// A page of transactions that are forwarded unchanged.
private struct ForwardedTransactions: Encodable {
    var transactions: [PresentedTransaction]
    var after: String?
}
