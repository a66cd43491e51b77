import BusClient
import BusService
import Persistence
import ServiceDatabase
import ServiceTesting
import StoreModels
import Testing

/// Goal: a caller learns from the answer whether anything was written, and nothing of the database's insides.
@Suite struct DatabaseEndpointsTests {
    private static let codes: [(PersistenceError.Code, StoreErrorCode)] = [
        (.storageFull, .serviceUnavailable), (.busy, .serviceUnavailable), (.overloaded, .serviceUnavailable),
        (.closed, .serviceUnavailable), (.unavailable, .serviceUnavailable), (.conflict, .serviceUnavailable),
        (.storageFailed, .outcomeUnknown), (.outcomeUnknown, .outcomeUnknown), (.statement, .internal),
        (.constraint(.unique), .internal), (.corrupted, .internal),
    ]

    private static let request = HeadsRequest(customers: [])

    @Test(arguments: codes)
    func `what the database throws is reported in the owner's name`(
        _ code: PersistenceError.Code, _ told: StoreErrorCode
    ) async throws {
        let error = await refusal { endpoints in
            endpoints.handle(PaymentEndpoints.heads) { _ in throw PersistenceError(code, "/a/path") }
        }
        #expect(error?.code == told)
        #expect(error?.message.hasPrefix("the payment queue's ") == true)
        #expect(error?.message.contains("/a/path") == false)
    }

    @Test func `a busy database says when to ask again, a full disk does not`() async throws {
        let busy = await refusal { endpoints in
            endpoints.handle(PaymentEndpoints.heads) { _, _ in throw PersistenceError(.busy, "") }
        }
        #expect(busy?.retryAfterMs == 200)
        let full = await refusal { endpoints in
            endpoints.handle(PaymentEndpoints.heads) { _, _ in throw PersistenceError(.storageFull, "") }
        }
        #expect(full?.retryAfterMs == nil)
    }

    @Test func `what a caller is not told is in the log`() async throws {
        let logs = LogCapture()
        let error = await refusal(logs: logs) { endpoints in
            endpoints.handle(PaymentEndpoints.heads) { _ in throw PersistenceError(.cannotOpen, "role 'shop' is gone") }
        }
        #expect(error?.code == .internal)
        let line = try #require(logs.all.first { $0.contains("role 'shop' is gone") })
        #expect(line.hasPrefix("error the database failed"))
        #expect(line.contains("traceID"))
    }

    @Test func `other errors pass as they are, and so do answers`() async throws {
        let refused = await refusal { endpoints in
            endpoints.handle(PaymentEndpoints.heads) { _ in throw StoreError(.requestInvalid, "nobody knows them") }
        }
        #expect(refused?.code == .requestInvalid)
        #expect(refused?.message == "nobody knows them")
        let answered = await refusal { endpoints in
            endpoints.handle(PaymentEndpoints.heads) { _, deadline in
                #expect(deadline > .now)
                return HeadsReply(heads: [])
            }
        }
        #expect(answered == nil)
    }

    /// How a service refuses a call that has registered nothing but this; nil when it answers.
    private func refusal(
        logs: LogCapture? = nil, _ register: (DatabaseEndpoints) -> Void
    ) async -> StoreError? {
        let bus = InMemoryBus()
        let running = await RunningService.start(.paymentQueue, on: bus, logs: logs) {
            register(DatabaseEndpoints(of: "the payment queue", on: $0))
        }
        let caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test")
        var refusal: StoreError?
        do throws(StoreError) {
            _ = try await caller.call(PaymentEndpoints.heads, Self.request)
        } catch {
            refusal = error
        }
        await running.stop()
        return refusal
    }
}
