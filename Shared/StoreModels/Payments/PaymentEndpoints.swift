/// PaymentQueue's request subjects, `sb.payment.v1.…`.
public enum PaymentEndpoints {
    public static let openAccount = Endpoint<OpenAccountRequest, OpenAccountReply>(
        .paymentQueue, "account.open", isIdempotent: true)
    public static let getAccount = Endpoint<GetAccountRequest, AccountReply>(
        .paymentQueue, "account.get", isIdempotent: true)
    /// Adds a payment. It is safe to repeat with the same idempotency key: one key is one charge.
    public static let addPayment = addPayment(as: PaymentTransaction.self)
    /// The same request, for a caller that decodes less than whole transactions, here and below.
    public static func addPayment<Item>(as item: Item.Type) -> Endpoint<AddPaymentRequest, AddPaymentReplyOf<Item>> {
        Endpoint(.paymentQueue, "queue.add", isIdempotent: true)
    }
    public static let snapshot = snapshot(as: PaymentTransaction.self)
    public static func snapshot<Item>(as item: Item.Type) -> Endpoint<SnapshotRequest, SnapshotOf<Item>> {
        Endpoint(.paymentQueue, "queue.snapshot", isIdempotent: true)
    }
    public static let changes = Endpoint<ChangesRequest, ChangesReply>(
        .paymentQueue, "queue.changes", isIdempotent: true)
    public static let heads = Endpoint<HeadsRequest, HeadsReply>(.paymentQueue, "queue.heads", isIdempotent: true)
    public static let getTransaction = getTransaction(as: PaymentTransaction.self)
    public static func getTransaction<Item>(as item: Item.Type) -> Endpoint<TransactionRequest, Item> {
        Endpoint(.paymentQueue, "transaction.get", isIdempotent: true)
    }
    public static let finishTransaction = finishTransaction(as: PaymentTransaction.self)
    public static func finishTransaction<Item>(as item: Item.Type) -> Endpoint<TransactionRequest, Item> {
        Endpoint(.paymentQueue, "transaction.finish", isIdempotent: true)
    }
    /// Answers a transaction's `storefrontChange` for the app. A late answer changes nothing.
    /// - Throws: `notFound`, also for a purchase of another device.
    public static let continueTransaction = Endpoint<ContinueTransactionRequest, PaymentTransaction>(
        .paymentQueue, "transaction.continue", isIdempotent: true)
    /// Approves a deferred transaction. A second approval returns the result of the first.
    public static let approveTransaction = Endpoint<OperateTransactionRequest, PaymentTransaction>(
        .paymentQueue, "transaction.approve", isIdempotent: true)
    /// Declines a deferred transaction.
    public static let declineTransaction = Endpoint<OperateTransactionRequest, PaymentTransaction>(
        .paymentQueue, "transaction.decline", isIdempotent: true)
    /// Resolves an interrupted transaction: a new one takes the failed one's place, once.
    public static let resolveTransaction = Endpoint<OperateTransactionRequest, PaymentTransaction>(
        .paymentQueue, "transaction.resolve", isIdempotent: true)
    /// Deletes a transaction, as ``clearHistory`` does.
    public static let deleteTransaction = Endpoint<OperateTransactionRequest, Empty>(
        .paymentQueue, "transaction.delete", isIdempotent: true)
    public static let startRestore = Endpoint<StartRestoreRequest, Restore>(
        .paymentQueue, "restore.start", isIdempotent: true)
    public static let getRestore = Endpoint<RestoreRequest, Restore>(.paymentQueue, "restore.get", isIdempotent: true)
    /// Notes that the device has got the restore's end. Snapshots no longer bring it then.
    public static let acknowledgeRestore = Endpoint<RestoreRequest, Empty>(
        .paymentQueue, "restore.acknowledge", isIdempotent: true)
    public static let updateDownload = Endpoint<UpdateDownloadRequest, DownloadReply>(
        .paymentQueue, "download.update", isIdempotent: true)
    public static let getDownload = Endpoint<DownloadRequest, DownloadReply>(
        .paymentQueue, "download.get", isIdempotent: true)
    public static let history = Endpoint<HistoryRequest, TransactionsPage>(
        .paymentQueue, "transaction.history", isIdempotent: true)
    /// Lists transactions across customers, for the operator.
    public static let listTransactions = Endpoint<TransactionListRequest, TransactionsPage>(
        .paymentQueue, "transaction.list", isIdempotent: true)
    /// Reads the data that `IntroductoryOfferPolicy` decides on, by subscription group.
    public static let offerSummary = Endpoint<OfferSummaryRequest, OfferSummary>(
        .paymentQueue, "offers.summary", isIdempotent: true)
    /// The same for several customers of an app.
    /// - Throws: `requestInvalid` for too many.
    public static let offerSummaries = Endpoint<OfferSummariesRequest, OfferSummaries>(
        .paymentQueue, "offers.summaries", isIdempotent: true)
    /// Reads a customer's information for a page of the store.
    /// - Throws: `notFound` for an unknown customer.
    public static let standing = Endpoint<CustomerStandingRequest, CustomerStanding>(
        .paymentQueue, "customer.standing", isIdempotent: true)

    public static let getTester = Endpoint<TesterRequest, Tester>(.paymentQueue, "tester.get", isIdempotent: true)
    public static let putTester = Endpoint<PutTesterRequest, Tester>(.paymentQueue, "tester.put", isIdempotent: true)
    /// Resets a tester to the defaults; the account and its purchases stay.
    public static let deleteTester = Endpoint<TesterRequest, Empty>(.paymentQueue, "tester.delete", isIdempotent: true)
    public static let listTesters = Endpoint<PageRequest, TestersPage>(
        .paymentQueue, "tester.list", isIdempotent: true)
    public static let testersVersion = Endpoint<Empty, TestersVersion>(
        .paymentQueue, "testers.version", isIdempotent: true)
    public static let listPrompts = Endpoint<PromptsRequest, PromptsPage>(
        .paymentQueue, "prompt.list", isIdempotent: true)
    /// Answers a prompt. Returns the prompt as it was and its transaction after the answer.
    public static let answerPrompt = Endpoint<AnswerPromptRequest, Prompt>(
        .paymentQueue, "prompt.answer", isIdempotent: false)
    public static let clearHistory = Endpoint<ClearHistoryRequest, ClearHistoryReply>(
        .paymentQueue, "history.clear", isIdempotent: true)
    public static let reset = Endpoint<ResetRequest, ResetReply>(.paymentQueue, "app.reset", isIdempotent: true)
    public static let listEvents = Endpoint<EventsRequest, EventsReply>(
        .paymentQueue, "events.list", isIdempotent: true)
}

/// PaymentQueue's events, which are hints, delivered at most once (`architecture.md`, live delivery).
public enum PaymentEvents {
    /// One literal subject per customer. `key` is 32 hexadecimal digits of SHA-256(bundleId NUL customerIdentifier),
    /// which is PaymentQueue's and the gateway's to compute: this module has no cryptography.
    public static func customerChanged(key: String) -> String { "sb.evt.payment.v1.customer.changed.\(key)" }
}
