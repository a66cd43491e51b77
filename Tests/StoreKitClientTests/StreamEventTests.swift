import StoreHTTP
import StoreModels
import Testing

@testable import StoreKitClient

@Suite struct StreamEventTests {
    @Test func `M22, M27: what a newer store sends is left out, and the rest is read`() throws {
        #expect(StreamEvent(ServerSentEvent(name: "somethingNew", data: Array("{}".utf8))) == nil)
        #expect(StreamEvent(ServerSentEvent(name: "updatedTransactions", data: Array("{]".utf8))) == nil)
        let known =
            #"{"id":"t1","transactionState":"deferred","payment":{"requestIdentifier":"k","productIdentifier":"#
            + #""p","quantity":1,"simulatesAskToBuyInSandbox":false},"downloads":[],"revision":2,"deliveries":0,"#
            + #""originDeviceId":"d"}"#
        let data = #"{"seq":1,"transactions":[{"id":"t0","transactionState":"teleported"},"# + known + "]}"
        let event = StreamEvent(ServerSentEvent(name: "updatedTransactions", data: Array(data.utf8)))
        guard case .updated(let transactions) = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(transactions.map(\.id) == ["t1"])
    }
}
