import Logging
import Operations
import Persistence

extension PaymentQueueService {
    /// Opens `<directory>/payment-queue.sqlite` and brings its schema up to date.
    /// - Throws: a `StartupError` that names the file, what is wrong with it and the remedy.
    package static func openDatabase(in directory: String, logger: Logger) throws(StartupError) -> SQLiteDatabase {
        do throws(PersistenceError) {
            return try SQLiteDatabase.open(
                path: "\(directory)/payment-queue.sqlite", holder: "payment-queue",
                migrations: PaymentQueueSchema.migrations,
                logger: logger)
        } catch {
            throw StartupError(ProcessExit(rawValue: error.exitCode) ?? .bug, error.message)
        }
    }
}
