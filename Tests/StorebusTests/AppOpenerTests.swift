import StoreModels
import Testing

@testable import Storebus

/// Goal: an operator's command starts the app that the store opens, once, and gets its names in variables alone.
@Suite struct AppOpenerTests {
    private static func event(device: String = "alice-2", state: StorePurchaseIntent.State = .pending) -> IntentEvent {
        var event = Promoted.event
        event.type = .intentOpenApp
        event.intent = Promoted.intent(state)
        event.intent.deviceId = device
        return event
    }

    @Test func `the command finds the store as the app's client library does, and is no operator`() {
        let app = AppLaunch(Self.event(), url: "http://127.0.0.1:7430")
        let variables = app.environment(over: [
            "PATH": "/bin", "STOREBUS_ADMIN_KEY": "secret", "STOREBUS_ACCOUNT": "bob",
        ])
        #expect(
            variables == [
                "PATH": "/bin", "STOREBUS_URL": "http://127.0.0.1:7430", "STOREBUS_BUNDLE_ID": "com.example.app",
                "STOREBUS_ACCOUNT": "alice", "STOREBUS_DEVICE_ID": "alice-2", "STOREBUS_PRODUCT_ID": "hidden-beaches",
                "STOREBUS_INTENT_ID": Self.event().intent.intentIdentifier,
            ])
    }

    @Test func `a purchase that an app was given, or that was decided, opens nothing`() {
        #expect(AppOpener.isWaiting(Promoted.intent(.pending, answerBy: nil)))
        #expect(!AppOpener.isWaiting(Promoted.intent(.pending, answerBy: "2026-11-21T10:00:10Z")))
        for state in StorePurchaseIntent.State.allCases where state != .pending {
            #expect(!AppOpener.isWaiting(Promoted.intent(state, answerBy: nil)))
        }
    }

    @Test func `an app on a device runs once, by the bytes of its names, and again when it has ended`() {
        let apps = OpenedApps()
        let (composed, decomposed) = (
            AppLaunch(Self.event(device: "caf\u{E9}"), url: "").key,
            AppLaunch(Self.event(device: "cafe\u{301}"), url: "").key
        )
        #expect(apps.begin(composed))
        #expect(!apps.begin(composed))
        #expect(apps.begin(decomposed))
        apps.end(composed)
        #expect(apps.begin(composed))
    }

    @Test func `no more apps run than a person would open, and none is started at the end`() {
        let apps = OpenedApps()
        for number in 0..<OpenedApps.max { #expect(apps.begin([ExactText("\(number)")])) }
        #expect(!apps.begin(["one more"]))
        apps.end(["0"])
        apps.terminateAll()
        #expect(apps.isOver && !apps.begin(["0"]))
    }
}
