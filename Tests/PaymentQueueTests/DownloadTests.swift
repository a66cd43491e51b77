import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: hosted content comes with what was bought and goes its way on each device by itself, until the transaction is
/// finished (M25, M46 to M48, M54, M55).
@Suite(.serialized) struct DownloadTests {
    /// A store in which alice has bought the guide.
    private func withGuide(
        _ engine: Engine, _ body: (TestStore, CustomerApp, PaymentTransaction, Download) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("guide", key: "k").transaction
            try await body(store, alice, bought, try #require(bought.downloads.first))
        }
    }

    @Test(arguments: Engine.allCases)
    func `M25, M46, M48: a hosted product comes with its content when it is given, no other with any`(_ engine: Engine)
        async throws
    {
        try await withGuide(engine) { store, alice, bought, download in
            #expect(bought.downloads.count == 1)
            #expect(download.transactionId == bought.id)
            #expect(download.state == .waiting)
            #expect(download.contentIdentifier == "guide")
            #expect(download.contentVersion == "1.0")
            #expect(download.contentLength == 73_412)
            #expect(try await alice.changes().changes.map { $0.transaction?.downloads.count } == [0, 1])
            #expect(
                try await alice.download(download.id) == DownloadReply(download: download, productIdentifier: "guide"))
            #expect(try await alice.add("beaches", key: "other").transaction.downloads.isEmpty)
            // Given again for nothing, with content of its own.
            let again = try await alice.add("guide", key: "again").transaction
            #expect(again.price == .usd("0.00"))
            #expect(again.downloads.map(\.transactionId) == [again.id])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M47, M48: each change is sent to the device's stream, a repetition is not, and survives the process`(
        _ engine: Engine
    )
        async throws
    {
        try await withGuide(engine) { store, alice, bought, download in
            let head = try await alice.changes().head
            let steps: [(DownloadAction, Download.State)] = [
                (.start, .active), (.start, .active), (.pause, .paused), (.pause, .paused), (.resume, .active),
                (.fail, .failed), (.start, .active), (.finish, .finished), (.finish, .finished),
            ]
            for (action, state) in steps {
                let error: SKErrorCode? = action == .fail ? .cloudServiceNetworkConnectionFailed : nil
                let updated = try await alice.update(download.id, action, error: error)
                #expect(updated.state == state)
                #expect(updated.error?.code == (action == .fail ? 7 : nil))
                #expect(try await alice.get(bought.id).downloads == [updated])
                #expect(try await alice.snapshot().transactions.map(\.downloads) == [[updated]])
            }
            let changes = try await alice.changes(after: head).changes
            #expect(
                changes.allSatisfy { $0.kind == .downloadsUpdated && $0.deviceId == "phone" && $0.transaction == nil })
            #expect(
                changes.map { $0.downloads?.map(\.state) }
                    == [.active, .paused, .active, .failed, .active, .finished].map { [$0] })
            #expect(changes.allSatisfy { !$0.isVisible(to: "pad") })
            try await store.restartQueue()
            #expect(try await alice.download(download.id).download.state == .finished)
            // A download is no change of the transaction.
            #expect(try await alice.get(bought.id).revision == bought.revision)
        }
    }

    @Test(arguments: Engine.allCases) func `M47: each device of the customer begins by itself`(_ engine: Engine)
        async throws
    {
        try await withGuide(engine) { _, phone, bought, download in
            let pad = phone.on(device: "pad")
            try await phone.update(download.id, .start)
            try await phone.update(download.id, .finish)
            #expect(try await pad.get(bought.id).downloads == [download])
            #expect(try await pad.snapshot().transactions.first?.downloads == [download])
            try await pad.update(download.id, .start)
            try await pad.update(download.id, .cancel)
            #expect(try await pad.download(download.id).download.state == .cancelled)
            #expect(try await phone.download(download.id).download.state == .finished)
            // Lists that name no device show the one it was bought on.
            #expect(try await phone.history().transactions.first?.downloads.map(\.state) == [.finished])
        }
    }

    @Test(arguments: Engine.allCases) func `an edge there is not is downloadStateInvalid and changes nothing`(
        _ engine: Engine
    ) async throws {
        try await withGuide(engine) { _, alice, _, download in
            let head = try await alice.changes().head
            for action in [DownloadAction.pause, .resume, .finish] {
                let error = try await refusal { try await alice.update(download.id, action) }
                #expect(error?.code == .downloadStateInvalid)
                #expect(error?.details["state"] == .string("waiting"))
            }
            try await alice.update(download.id, .cancel)
            for action in [DownloadAction.start, .pause, .resume, .finish, .fail] {
                #expect(
                    try await refusal { try await alice.update(download.id, action) }?.code == .downloadStateInvalid)
            }
            #expect(try await alice.changes().head == head + 1)
            let late = try await refusal { try await alice.update(download.id, .start, error: .unknown) }
            #expect(late?.details["path"] == .string("$.error"))
        }
    }

    @Test(arguments: [[], [.start], [.start, .pause]] as [[DownloadAction]], Engine.allCases)
    func `M55: a finish with content that is not downloaded cancels it, says so and is an event`(
        _ actions: [DownloadAction], _ engine: Engine
    ) async throws {
        try await withGuide(engine) { store, alice, bought, download in
            for action in actions { try await alice.update(download.id, action) }
            let (start, head) = (try await store.position(), try await alice.changes().head)
            let finished = try await alice.finish(bought.id)
            #expect(finished.warnings == ["finishedWithPendingDownloads"])
            #expect(finished.downloads.map(\.state) == [.cancelled])
            #expect(finished.transactionState == .purchased)
            let changes = try await alice.changes(after: head).changes
            #expect(changes.map(\.kind) == [.downloadsUpdated, .removed])
            #expect(changes[0].downloads == finished.downloads)
            #expect(changes[1].transaction?.downloads.isEmpty == true)
            let events = try await store.events(after: start, count: 2)
            #expect(events.map(\.type) == [.finishedWithPendingDownloads, .finished])
            #expect(events[0].transaction == finished)
            // M54: again is the same answer and nothing else.
            #expect(try await alice.finish(bought.id) == finished)
            #expect(try await alice.changes().head == head + 2)
            #expect(try await alice.get(bought.id).downloads == finished.downloads)
            #expect(try await alice.get(bought.id).warnings == nil)
        }
    }

    @Test(arguments: [[.start, .finish], [.start, .fail], [.cancel]] as [[DownloadAction]], Engine.allCases)
    func `M55: a finish after the content is done with has nothing to say`(
        _ actions: [DownloadAction], _ engine: Engine
    ) async throws {
        try await withGuide(engine) { store, alice, bought, download in
            for action in actions { try await alice.update(download.id, action) }
            let start = try await store.position()
            let finished = try await alice.finish(bought.id)
            #expect(finished.warnings == nil)
            #expect(try await store.events(after: start, count: 1).map(\.type) == [.finished])
            #expect(finished.downloads == (try await alice.get(bought.id).downloads))
            #expect(try await alice.finish(bought.id) == finished)
        }
    }

    @Test(arguments: Engine.allCases) func `M54: after the finish its downloads are gone on every device`(
        _ engine: Engine
    ) async throws {
        try await withGuide(engine) { _, alice, bought, download in
            try await alice.update(download.id, .start)
            try await alice.on(device: "pad").finish(bought.id)
            for device in ["phone", "pad"] {
                let customerApp = alice.on(device: device)
                #expect(try await refusal { try await customerApp.download(download.id) }?.code == .notFound)
                for action in DownloadAction.allCases {
                    #expect(try await refusal { try await customerApp.update(download.id, action) }?.code == .notFound)
                }
            }
            #expect(try await alice.get(bought.id).downloads.map(\.state) == [.cancelled])
        }
    }

    @Test(arguments: Engine.allCases) func `M46, M47: a restored transaction has a download of its own, on its device`(
        _ engine: Engine
    ) async throws {
        try await withGuide(engine) { store, phone, bought, download in
            let pad = phone.on(device: "pad")
            try await phone.update(download.id, .start)
            try await phone.update(download.id, .finish)
            try await phone.finish(bought.id)
            _ = try await pad.restore()
            let value = try #require(try await pad.snapshot().transactions.first)
            let own = try #require(value.downloads.first)
            #expect(own.id != download.id)
            #expect(own.transactionId == value.id)
            #expect(own.state == .waiting)
            #expect(own.contentLength == download.contentLength)
            #expect(try await refusal { try await phone.download(own.id) }?.code == .notFound)
            try await pad.update(own.id, .start)
            #expect(try await pad.finish(value.id).warnings == ["finishedWithPendingDownloads"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the error a tester is set to meet ends each start, and is the app's default's too`(_ engine: Engine)
        async throws
    {
        try await withGuide(engine) { store, alice, _, download in
            try await store.set(
                "alice", TesterSettings(simulatedErrors: .init(download: "cloudServicePermissionDenied")))
            for _ in 0..<2 {
                let failed = try await alice.update(download.id, .start)
                #expect(failed.state == .failed)
                #expect(failed.error?.code == 6)
            }
            try await store.set("alice", TesterSettings(simulatedErrors: .init()))
            #expect(try await alice.update(download.id, .start).state == .active)
        }
        try await TestStore.with(engine) { store in
            store.catalogue.set(testerDefaults: TesterSettings(simulatedErrors: .init(download: "networkError")))
            let alice = try await store.customerApp()
            let download = try #require(try await alice.add("guide", key: "k").transaction.downloads.first)
            #expect(try await alice.update(download.id, .start).error?.reason == "networkError")
        }
    }

    @Test(arguments: [Checkpoint.insideDownloadCommit, .afterDownloadCommit], Engine.allCases)
    func `dead while a download changes, it has changed or it has not, and its journal says so`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await withGuide(engine) { store, alice, _, download in
            let head = try await alice.changes().head
            store.current.crash.arm(checkpoint)
            await #expect(throws: StoreError.self) { try await alice.update(download.id, .start) }
            try await store.restartQueue()
            let isThere = checkpoint == .afterDownloadCommit
            #expect(try await alice.download(download.id).download.state == (isThere ? .active : .waiting))
            #expect(try await alice.changes().head == (isThere ? head + 1 : head))
            #expect(try await alice.update(download.id, .start).state == .active)
            #expect(try await alice.changes().head == head + 1)
        }
    }

    @Test(arguments: Engine.allCases) func `many devices at once each have their own way`(_ engine: Engine) async throws
    {
        try await withGuide(engine) { _, alice, _, download in
            let head = try await alice.changes().head
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        let device = alice.on(device: "device\(number)")
                        try await device.update(download.id, .start)
                        try await device.update(download.id, number.isMultiple(of: 2) ? .finish : .cancel)
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<8 {
                let state = try await alice.on(device: "device\(number)").download(download.id).download.state
                #expect(state == (number.isMultiple(of: 2) ? .finished : .cancelled))
            }
            #expect(try await alice.changes(after: head).changes.count == 16)
        }
    }
}
