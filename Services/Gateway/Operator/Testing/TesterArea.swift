import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes for testers, whose settings decide how the store treats an account in every app of the request's scope.
struct TesterArea: Area {
    let services: ServiceCaller
    let storefronts: StorefrontDirectory

    var routes: [Route] {
        [
            services.forward(AccountRoutes.list, to: PaymentEndpoints.listTesters) {
                try $0.page()
            } reply: {
                try Reply(TestersResponse(testers: $0.testers.map(TesterResponse.init), after: $0.after))
            },
            services.forward(AccountRoutes.get, to: PaymentEndpoints.getTester) {
                try $0.account()
            } reply: {
                try Reply(TesterResponse($0))
            },
            // Settings that the body lacks are no longer set.
            services.forward(AccountRoutes.put, to: PaymentEndpoints.putTester) { call, settings in
                let account = try call.account()
                if let storefront = settings.storefront {
                    _ = try await storefronts.find(storefront, at: "$.storefront", call.context())
                }
                return PutTesterRequest(account, settings: settings)
            } reply: {
                try Reply(TesterResponse($0))
            },
            services.forward(AccountRoutes.reset, to: PaymentEndpoints.deleteTester) { try $0.account() },
        ]
    }
}

extension TesterSettings: CheckedBody {
    /// Checks the texts that are not limited by an enumeration.
    package func validate() throws(StoreError) {
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
