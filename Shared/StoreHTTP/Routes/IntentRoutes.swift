import StoreModels

/// Purchases that begin in the store.
package enum IntentRoutes {
    /// Lists the intents of the session's device and customer.
    package static let list = HTTPEndpoint<Empty, IntentsPage>(
        "listIntents", .get, "/v1/intents", .app,
        parameters: [.intentStates, .after, .limit])
    /// Reads one intent of the session's device and customer.
    package static let get = HTTPEndpoint<Empty, StorePurchaseIntent>(
        "getIntent", .get, "/v1/intents/{id}", .app,
        errors: [.intentNotFound])
    /// Continues, defers or cancels an intent.
    ///
    /// The first decision is final, and repeating it is safe. The app continues a deferred intent here, or by POST
    /// /v1/payments with its `intentIdentifier`.
    package static let decide = HTTPEndpoint<DecisionRequest, IntentDecisionResponse>(
        "decideIntent", .post, "/v1/intents/{id}/decision", .app,
        urgency: .purchase,
        responses: [
            .ok(
                "The decision is recorded: deferred, cancelled, or the same decision again.",
                links: [
                    Link(
                        "getIntent", to: "getIntent", ["id": "$response.body#/intent/intentIdentifier"],
                        "As it is later")
                ]),
            .created(
                "The intent is continued; the transaction is purchased or failed.",
                links: [
                    Link(
                        "finish", to: "finishTransaction", ["id": "$response.body#/transaction/id"],
                        "Takes it out of the queue")
                ]),
            .accepted(
                "The intent is continued; the stream has the outcome.",
                links: [
                    Link(
                        "getIntent", to: "getIntent", ["id": "$response.body#/intent/intentIdentifier"],
                        "As it is later")
                ]),
        ], errors: [.intentNotFound, .intentDecided, .keyReused, .tooMany, .outcomeUnknown])
    /// Lists the intents of all devices, for the operator.
    package static let search = HTTPEndpoint<Empty, IntentsPage>(
        "searchIntents", .get, "/admin/v1/intents", .admin,
        parameters: [
            .ofBundleId, .ofAccount, .ofDeviceId, .state(StorePurchaseIntent.State.self, as: "intentState"), .after,
            .limit,
        ])
}
