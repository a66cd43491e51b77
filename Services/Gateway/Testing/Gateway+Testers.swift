import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes for testers, whose settings decide how the store treats an account in every app of the request's scope.
    var testerRoutes: [Route] {
        [
            Route(AccountRoutes.list) { [self] in try await testers($0) },
            Route(AccountRoutes.get) { [self] in try await tester($0) },
            Route(AccountRoutes.put) { [self] in try await putTester($0) },
            Route(AccountRoutes.reset) { [self] in try await deleteTester($0) },
        ]
    }

    private func testers(_ call: Call) async throws -> TestersResponse<TesterAnswer> {
        let request = try call.page()
        let page = try await services.call(PaymentEndpoints.listTesters, request, context: call.context())
        return TestersResponse(testers: page.testers.map(TesterAnswer.init), after: page.after)
    }

    private func tester(_ call: Call) async throws -> TesterAnswer {
        TesterAnswer(try await services.call(PaymentEndpoints.getTester, try call.account(), context: call.context()))
    }

    /// Replaces all settings of a tester; those missing from the body are no longer set.
    private func putTester(_ call: Call) async throws -> TesterAnswer {
        let account = try call.account()
        let settings = try await call.body(of: AccountRoutes.put)
        try settings.validate()
        if let storefront = settings.storefront { _ = try await storefronts.find(storefront, at: "$.storefront", call) }
        let tester = try await services.call(
            PaymentEndpoints.putTester, PutTesterRequest(account, settings: settings), context: call.context())
        return TesterAnswer(tester)
    }

    private func deleteTester(_ call: Call) async throws -> Reply<NoContent> {
        _ = try await services.call(PaymentEndpoints.deleteTester, try call.account(), context: call.context())
        return .noContent
    }
}

extension TesterSettings {

    /// Checks the texts that are not limited by an enumeration.
    /// - Throws: `requestInvalid`.
    fileprivate func validate() throws(StoreError) {
        let errors = [
            ("loadProducts", simulatedErrors?.loadProducts), ("purchase", simulatedErrors?.purchase),
            ("restore", simulatedErrors?.restore), ("receiptRefresh", simulatedErrors?.receiptRefresh),
            ("download", simulatedErrors?.download),
        ]
        for (name, text) in errors {
            if let text { try Identifier.check(text, at: "$.simulatedErrors.\(name)", lengthMax: 64) }
        }
    }
}

extension Call {
    /// The account the path names.
    /// - Throws: `requestInvalid`.
    func account() throws(StoreError) -> ScopedIdentifier {
        let account = try scoped(.account, of: "account")
        try Identifier.check(account.id, as: .account, at: "account")
        return account
    }
}
