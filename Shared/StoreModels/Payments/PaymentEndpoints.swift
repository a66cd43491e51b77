/// PaymentQueue's request subjects, `sb.payment.v1.…`.
public enum PaymentEndpoints {
    /// Opens an account of an app, and creates it with its first session.
    public static let openAccount = Endpoint<OpenAccountRequest, OpenAccountReply>(
        .paymentQueue, "account.open", isIdempotent: true, errors: [.storefrontMismatch])
    /// Reads a customer's account, or throws `notFound` for an unknown one.
    public static let getAccount = Endpoint<GetAccountRequest, AccountReply>(
        .paymentQueue, "account.get", isIdempotent: true, errors: [.notFound])
    /// Adds a payment. It is safe to repeat with the same idempotency key: one key is one charge.
    public static let addPayment = addPayment(as: PaymentTransaction.self)
    /// The same request, for a caller that decodes less than whole transactions, here and below.
    public static func addPayment<Item>(as item: Item.Type) -> Endpoint<AddPaymentRequest, AddPaymentReplyOf<Item>> {
        Endpoint(
            .paymentQueue, "queue.add", isIdempotent: true,
            errors: [
                .idempotencyKeyInvalid, .notFound, .keyReused, .transactionStateInvalid, .intentDecided, .rateLimited,
                .codeSpent, .codeExpired, .codeRedeemed, .codeIneligible,
            ])
    }
    /// Makes an offer code, or a batch of one-time codes, whose texts are in this reply only.
    /// - Throws: `requestInvalid`, also for a word that the app has, and for more codes than an app may have.
    public static let addOfferCode = Endpoint<NewOfferCodeRequest, OfferCode>(
        .paymentQueue, "code.add", isIdempotent: false, errors: [])
    /// Lists an app's offer codes by page, with their redemptions.
    public static let listOfferCodes = Endpoint<OfferCodesRequest, OfferCodesPage>(
        .paymentQueue, "code.list", isIdempotent: true, errors: [])
    /// Lets an offer code be redeemed, or not.
    public static let activateOfferCode = Endpoint<ActivateOfferCodeRequest, OfferCode>(
        .paymentQueue, "code.activate", isIdempotent: true, errors: [.notFound])
    /// Finds the product and offer of a code. Whether it can be redeemed is decided with the payment.
    public static let findOfferCode = Endpoint<FindOfferCodeRequest, RedeemedCode>(
        .paymentQueue, "code.find", isIdempotent: true, errors: [.notFound])
    /// Makes a family of one person. The same request again changes nothing.
    /// - Throws: `requestInvalid`, with status 422 for an unknown person, for one of another family, and for a name
    ///   that another organiser has.
    public static let putFamily = Endpoint<PutFamilyRequest, Family>(
        .paymentQueue, "family.put", isIdempotent: true, errors: [])
    /// Lists an app's families by page.
    public static let listFamilies = Endpoint<FamiliesRequest, FamiliesPage>(
        .paymentQueue, "family.list", isIdempotent: true, errors: [])
    /// Ends a family. Its persons lose what the others shared with them.
    public static let endFamily = Endpoint<EndFamilyRequest, Empty>(
        .paymentQueue, "family.end", isIdempotent: false, errors: [.notFound])
    /// Adds a person to a family, or changes what they share.
    /// - Throws: `notFound` for an unknown family, or `requestInvalid`, with status 422 for an unknown person, for one
    ///   of another family, and for a family that is full.
    public static let putFamilyMember = Endpoint<PutFamilyMemberRequest, Family>(
        .paymentQueue, "family.add", isIdempotent: true, errors: [.notFound])
    /// Takes a person out of a family. Nothing is shared with them or of them any more.
    /// - Throws: `notFound`, or `requestInvalid` with status 422 for the organiser.
    public static let removeFamilyMember = Endpoint<RemoveFamilyMemberRequest, Family>(
        .paymentQueue, "family.remove", isIdempotent: false, errors: [.notFound])
    /// Reads the device's unfinished transactions and the journal position, by page.
    public static let snapshot = snapshot(as: PaymentTransaction.self)
    /// The same request, for a caller that decodes less than whole transactions.
    public static func snapshot<Item>(as item: Item.Type) -> Endpoint<SnapshotRequest, SnapshotOf<Item>> {
        Endpoint(.paymentQueue, "queue.snapshot", isIdempotent: true, errors: [.notFound])
    }
    /// Reads the unfinished transactions of up to 32 devices, as the gateway responds with them.
    /// - Throws: `requestInvalid` for too many, and for a page that counts as a delivery.
    public static let unfinishedLists = Endpoint<UnfinishedListsRequest, UnfinishedLists>(
        .paymentQueue, "queue.unfinished", isIdempotent: true, errors: [])
    /// Reads a customer's journal after a position.
    public static let changes = Endpoint<ChangesRequest, ChangesReply>(
        .paymentQueue, "queue.changes", isIdempotent: true, errors: [.notFound])
    /// Reads the last journal position of up to 500 customers.
    public static let heads = Endpoint<HeadsRequest, HeadsReply>(
        .paymentQueue, "queue.heads", isIdempotent: true, errors: [])
    /// Reads one transaction, finished or not.
    public static let getTransaction = getTransaction(as: PaymentTransaction.self)
    /// The same request, for a caller that decodes less than a whole transaction.
    public static func getTransaction<Item>(as item: Item.Type) -> Endpoint<TransactionRequest, Item> {
        Endpoint(.paymentQueue, "transaction.get", isIdempotent: true, errors: [.notFound])
    }
    /// Finishes a transaction. Finishing it again changes nothing.
    public static let finishTransaction = finishTransaction(as: PaymentTransaction.self)
    /// The same request, for a caller that decodes less than a whole transaction.
    public static func finishTransaction<Item>(as item: Item.Type) -> Endpoint<TransactionRequest, Item> {
        Endpoint(
            .paymentQueue, "transaction.finish", isIdempotent: true, errors: [.notFound, .transactionNotFinishable])
    }
    /// Answers a transaction's `storefrontChange` for the app. A late answer has no effect.
    /// - Throws: `notFound`, also for a purchase of another device.
    public static let continueTransaction = Endpoint<ContinueTransactionRequest, PaymentTransaction>(
        .paymentQueue, "transaction.continue", isIdempotent: true, errors: [.notFound])
    /// Approves a deferred transaction. A second approval returns the result of the first.
    public static let approveTransaction = Endpoint<OperateTransactionRequest, PaymentTransaction>(
        .paymentQueue, "transaction.approve", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Declines a deferred transaction.
    public static let declineTransaction = Endpoint<OperateTransactionRequest, PaymentTransaction>(
        .paymentQueue, "transaction.decline", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Resolves an interrupted transaction: a new one takes the failed one's place, once.
    public static let resolveTransaction = Endpoint<OperateTransactionRequest, PaymentTransaction>(
        .paymentQueue, "transaction.resolve", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Reads one transaction of any customer, for the operator.
    /// - Throws: `notFound`, also for a transaction of another isolated store.
    public static let findTransaction = Endpoint<ScopedIdentifier, RecordedTransaction>(
        .paymentQueue, "transaction.find", isIdempotent: true, errors: [.notFound])
    /// Gives an unfinished transaction to the app's observers once more. A second request does so again.
    /// - Throws: `transactionStateInvalid` for one that is finished or purchasing.
    public static let redeliverTransaction = Endpoint<ScopedIdentifier, PaymentTransaction>(
        .paymentQueue, "transaction.redeliver", isIdempotent: false, errors: [.notFound, .transactionStateInvalid])
    /// Deletes a transaction, as ``clearHistory`` does.
    public static let deleteTransaction = Endpoint<ScopedIdentifier, Empty>(
        .paymentQueue, "transaction.delete", isIdempotent: true, errors: [.notFound])
    /// Begins a restore. Each key begins one restore.
    public static let startRestore = Endpoint<StartRestoreRequest, Restore>(
        .paymentQueue, "restore.start", isIdempotent: true, errors: [.idempotencyKeyInvalid, .notFound, .keyReused])
    /// Reads a restore's progress.
    public static let getRestore = Endpoint<RestoreRequest, Restore>(
        .paymentQueue, "restore.get", isIdempotent: true, errors: [.notFound])
    /// Notes that the device has received the restore's end. Snapshots do not contain it any more.
    public static let acknowledgeRestore = Endpoint<RestoreRequest, Empty>(
        .paymentQueue, "restore.acknowledge", isIdempotent: true, errors: [.notFound])
    /// Changes the state of a download on one device.
    public static let updateDownload = Endpoint<UpdateDownloadRequest, DownloadReply>(
        .paymentQueue, "download.update", isIdempotent: true, errors: [.notFound, .downloadStateInvalid])
    /// Reads a download as it is for one device.
    public static let getDownload = Endpoint<DownloadRequest, DownloadReply>(
        .paymentQueue, "download.get", isIdempotent: true, errors: [.notFound])
    /// Lists a customer's purchased and restored transactions by page.
    public static let history = Endpoint<HistoryRequest, TransactionsPage>(
        .paymentQueue, "transaction.history", isIdempotent: true, errors: [.notFound])
    /// Lists transactions across customers, for the operator.
    public static let listTransactions = Endpoint<TransactionListRequest, TransactionsPage>(
        .paymentQueue, "transaction.list", isIdempotent: true, errors: [])
    /// Reads the data that `IntroductoryOfferPolicy` decides on, for one or several customers of an app.
    /// - Throws: `requestInvalid` for too many.
    public static let offerSummaries = Endpoint<OfferSummariesRequest, OfferSummaries>(
        .paymentQueue, "offers.summaries", isIdempotent: true, errors: [])
    /// Reads up to 32 customers' information for a page of the store.
    /// - Throws: `requestInvalid` for too many.
    public static let storePageCustomers = Endpoint<StorePageCustomersRequest, StorePageCustomers>(
        .paymentQueue, "customer.standings", isIdempotent: true, errors: [])

    /// Reads a tester's settings. An unknown account has the defaults.
    public static let getTester = Endpoint<ScopedIdentifier, Tester>(
        .paymentQueue, "tester.get", isIdempotent: true, errors: [])
    /// Replaces all of a tester's settings.
    public static let putTester = Endpoint<PutTesterRequest, Tester>(
        .paymentQueue, "tester.put", isIdempotent: true, errors: [])
    /// Resets a tester to the defaults. The account and its purchases stay.
    public static let deleteTester = Endpoint<ScopedIdentifier, Empty>(
        .paymentQueue, "tester.delete", isIdempotent: true, errors: [])
    /// Lists the accounts with settings or purchases, by name.
    public static let listTesters = Endpoint<PageRequest, TestersPage>(
        .paymentQueue, "tester.list", isIdempotent: true, errors: [])
    /// Reads the settings' version, on a lease where the request names a holder.
    public static let leaseTesters = Endpoint<TestersLeaseRequest, LeasedVersion<TestersVersion>>(
        .paymentQueue, "testers.lease", isIdempotent: true, errors: [])
    /// Lists the open prompts by page.
    public static let listPrompts = Endpoint<PromptsRequest, PromptsPage>(
        .paymentQueue, "prompt.list", isIdempotent: true, errors: [])
    /// Answers a prompt. Returns the prompt as it was and its transaction after the answer.
    public static let answerPrompt = Endpoint<AnswerPromptRequest, Prompt>(
        .paymentQueue, "prompt.answer", isIdempotent: false, errors: [.notFound, .transactionStateInvalid])
    /// Deletes the purchases of an app's customers, or of one account.
    public static let clearHistory = Endpoint<ClearHistoryRequest, ClearHistoryReply>(
        .paymentQueue, "history.clear", isIdempotent: true, errors: [.notFound])
    /// Deletes an app's purchases and resets its clock.
    public static let reset = Endpoint<ResetRequest, ResetReply>(
        .paymentQueue, "app.reset", isIdempotent: true, errors: [.notFound])
    /// Reads events after a position, for tests that wait.
    /// - Throws: `requestInvalid`, also for a position whose next events were removed.
    public static let listEvents = Endpoint<EventsRequest, EventsReply>(
        .paymentQueue, "events.list", isIdempotent: true, errors: [])
    /// Reads the last events, and the position behind them.
    public static let lastEvents = Endpoint<LastEventsRequest, EventsReply>(
        .paymentQueue, "events.last", isIdempotent: true, errors: [])

    /// Copies an isolated store's data into a new store, and answers the mark of what was copied.
    /// - Throws: `requestInvalid` for stores of other apps or seeds, `serviceUnavailable` beside work under way.
    public static let copyApp = Endpoint<CopyAppRequest, AppMark>(
        .paymentQueue, "app.copy", isIdempotent: false, errors: [])
    /// Reads the mark of an app as it is now.
    public static let markApp = Endpoint<AppRequest, AppMark>(
        .paymentQueue, "app.mark", isIdempotent: true, errors: [])
    /// Removes the stored data of an app, a part at a time.
    public static let removeApp = Endpoint<RemoveAppRequest, RemoveAppReply>(
        .paymentQueue, "app.remove", isIdempotent: true, errors: [])
}

/// PaymentQueue's events, which are hints, delivered at most once (ADR 0005).
public enum PaymentEvents {
    /// One literal subject per customer. `key` is 32 hexadecimal digits of SHA-256(bundleId NUL customerIdentifier).
    /// PaymentQueue and the gateway compute it, because this module has no cryptography.
    public static func customerChanged(key: String) -> String { "sb.evt.payment.v1.customer.changed.\(key)" }
}
