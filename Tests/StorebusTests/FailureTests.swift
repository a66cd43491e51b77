import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `why` of a purchase that failed: the app's error, and the setting that caused it.
@Suite struct FailureTests {
    private func why(
        _ error: TransactionError?, _ store: FakeStore = FakeStore(), inStore name: String = ""
    ) async -> String {
        var transaction = FakeStore.failed
        transaction.error = error
        store.list([transaction])
        guard !name.isEmpty else { return await store.run("why", "t_1").said.result }
        return await store.run("why", "t_1", "--store", name).said.result
    }

    @Test func `a setting of the account is named with its value and what takes it back`() async {
        let text = await why(
            TransactionError(.paymentInvalid, "The payment was declined at the payment sheet.").dueTo("sheet"))
        #expect(
            text.contains(
                """
                failed       The payment was declined at the payment sheet; alice's setting sheet is \
                decline:paymentInvalid: storebus account set alice --unset sheet

                """), "\(text)")
    }

    @Test func `what takes a setting back reaches the isolated store that was asked`() async {
        let text = await why(
            TransactionError(.paymentInvalid, "Declined.").dueTo("sheet"), inStore: "t-7")
        #expect(text.contains("storebus account set alice --unset sheet --store t-7\n"), "\(text)")
    }

    @Test func `a setting that is no more is said to have changed, a default is the catalogue's`() async {
        let error = TransactionError(.unknown, "Failed.").dueTo("simulatedErrors.purchase")
        #expect(await why(error).contains("alice's setting simulatedErrors.purchase, which has been changed since"))
        let store = FakeStore()
        var app = Promoted.app
        app.testerDefaults = TesterSettings(simulatedErrors: .init(purchase: "networkError"))
        store.answer("GET /admin/v1/apps/com.example.app", JSONText.value(app))
        #expect(
            await why(error, store).contains(
                "the catalogue's settings make simulatedErrors.purchase networkError for every account"))
    }

    @Test func `the processor's own mode is named where the account is not set`() async {
        let text = await why(TransactionError(.unknown, "The sandbox declines every charge.").dueTo("processor"))
        #expect(
            text.contains("failed       The sandbox declines every charge; alice's setting processor as it was then"))
    }

    @Test func `what a person or the store's rules did is no setting's fault`() async {
        #expect(
            await why(TransactionError(.paymentInvalid, "The app has no such product."))
                .contains("The app has no such product; no setting did that"))
        #expect(await why(nil).contains("failed  ") == false)
    }
}
