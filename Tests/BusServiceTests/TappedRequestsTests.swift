import BusClient
import BusProtocol
import StoreModels
import Testing

@testable import BusService

/// Goal: a tap shows each request with its end, in any order in which messages may come, and within its bound.
@Suite struct TappedRequestsTests {
    private let start = ContinuousClock.now

    private func request(_ reply: String?, _ headers: BusHeaders = [:]) -> BusMessage {
        BusMessage(subject: "sb.payment.v1.queue.add", reply: reply, headers: headers)
    }

    private func reply(_ subject: String, _ headers: BusHeaders = [:], status: Int? = nil) -> BusMessage {
        BusMessage(subject: subject, headers: headers, status: status)
    }

    @Test func `a reply ends its request, with outcome and duration`() {
        var requests = TappedRequests()
        let numbers = ["_INBOX.a.1", "_INBOX.a.2"].map { requests.add(request($0), at: start) }
        #expect(numbers == [1, 2])
        let error: BusHeaders = [
            BusHeader.natsServiceErrorCode: "409", BusHeader.natsServiceError: "alreadyOwned: it is owned",
        ]
        let failed = requests.end(with: reply("_INBOX.a.2", error), at: start + .milliseconds(3))
        #expect(
            failed
                == .init(
                    request: 2, outcome: .failed, duration: .milliseconds(3), error: "alreadyOwned: it is owned"))
        let replied = requests.end(with: reply("_INBOX.a.1"), at: start + .milliseconds(7))
        #expect(replied == .init(request: 1, outcome: .replied, duration: .milliseconds(7)))
    }

    @Test(arguments: [
        (503, BusRequestOutcome.noResponders), (429, .overloaded), (502, .receiverLost),
    ]) func `an answer of the broker in a reply's place is an end`(_ status: Int, _ outcome: BusRequestOutcome) {
        var requests = TappedRequests()
        _ = requests.add(request("_INBOX.a.1"), at: start)
        #expect(requests.end(with: reply("_INBOX.a.1", status: status), at: start)?.outcome == outcome)
    }

    @Test func `an event has no number, and no end`() {
        var requests = TappedRequests()
        #expect(requests.add(request(nil), at: start) == nil)
        #expect(requests.overdue(at: start + .seconds(3600)).isEmpty)
    }

    @Test func `a request without a reply is marked once, at its own deadline`() {
        var requests = TappedRequests()
        _ = requests.add(request("_INBOX.a.1", [BusHeader.sbTimeout: "200"]), at: start)
        _ = requests.add(request("_INBOX.a.2"), at: start)
        #expect(requests.overdue(at: start + .milliseconds(199)).isEmpty)
        let first = requests.overdue(at: start + .seconds(1))
        #expect(first == [.init(request: 1, outcome: .noReply, duration: .milliseconds(200))])
        let second = requests.overdue(at: start + BusServiceLimits.defaultTimeout)
        #expect(second == [.init(request: 2, outcome: .noReply, duration: BusServiceLimits.defaultTimeout)])
        #expect(requests.overdue(at: start + .seconds(60)).isEmpty)
    }

    @Test func `a late reply still ends its request, and a further reply ends nothing`() {
        var requests = TappedRequests()
        _ = requests.add(request("_INBOX.a.1"), at: start)
        #expect(requests.overdue(at: start + .seconds(5)).map(\.outcome) == [.noReply])
        let late = requests.end(with: reply("_INBOX.a.1"), at: start + .seconds(6))
        #expect(late == .init(request: 1, outcome: .replied, duration: .seconds(6)))
        #expect(requests.end(with: reply("_INBOX.a.1"), at: start + .seconds(7)) == nil)
    }

    @Test func `a reply before its request, or to another's, ends nothing`() {
        var requests = TappedRequests()
        #expect(requests.end(with: reply("_INBOX.a.1"), at: start) == nil)
        #expect(requests.add(request("_INBOX.a.1"), at: start) == 1)
        #expect(requests.end(with: reply("_INBOX.a.10"), at: start) == nil)
        #expect(requests.overdue(at: start + .seconds(5)).map(\.request) == [1])
    }

    @Test func `a request that is forwarded has the number and the end of the first`() {
        var requests = TappedRequests()
        let numbers = [0, 1].map { requests.add(request("_INBOX.a.1"), at: start + .milliseconds($0)) }
        #expect(numbers == [1, 1])
        let end = requests.end(with: reply("_INBOX.a.1"), at: start + .milliseconds(4))
        #expect(end?.duration == .milliseconds(4))
    }

    @Test func `beyond the bound a request has no number, until others have ended or are overdue`() {
        var requests = TappedRequests()
        let numbers = (1...TappedRequests.openMax).map { requests.add(request("_INBOX.a.\($0)"), at: start) }
        #expect(numbers.last == TappedRequests.openMax)
        #expect(requests.add(request("_INBOX.b.1"), at: start) == nil)
        _ = requests.end(with: reply("_INBOX.a.1"), at: start)
        #expect(requests.add(request("_INBOX.b.1"), at: start) == TappedRequests.openMax + 1)
        let later = start + .seconds(5)
        #expect(requests.overdue(at: later).count == TappedRequests.openMax)
        #expect(requests.add(request("_INBOX.c.1"), at: later) == TappedRequests.openMax + 2)
        #expect(requests.end(with: reply("_INBOX.a.2"), at: later) == nil, "the overdue ones make room")
    }

    @Test func `a request's subject names its service, an event's none`() {
        #expect(BrokerSubject.service(of: "sb.payment.v1.queue.add") == .paymentQueue)
        #expect(BrokerSubject.service(of: "sb.appstore.v1.transaction.get") == .appStoreServer)
        for subject in ["sb.evt.payment.v1.customer.changed.x", "sb.payment.v1", "lunch.payment.v1.x", "$SRV.PING"] {
            #expect(BrokerSubject.service(of: subject) == nil, "\(subject)")
        }
    }

    @Test func `what services repeat is a poll, and a customer's request is none`() {
        for poll in ["sb.payment.v1.events.list", "sb.promotion.v1.events.list", "sb.payment.v1.serverEvents.list"] {
            #expect(BrokerSubject.isPoll(poll), "\(poll)")
        }
        #expect(!BrokerSubject.isPoll("sb.payment.v1.queue.add") && !BrokerSubject.isPoll("sb.payment.v1.events.last"))
    }
}
