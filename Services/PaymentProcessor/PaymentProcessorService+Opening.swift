import Logging
import Operations
import Persistence

extension PaymentProcessorService {
    /// Opens `<directory>/payment-processor.sqlite` and brings its schema up to date.
    /// - Throws: a `StartupError` that names the file, what is wrong with it and the remedy.
    package static func openDatabase(in directory: String, logger: Logger) throws(StartupError) -> SQLiteDatabase {
        do throws(PersistenceError) {
            return try SQLiteDatabase.open(
                path: "\(directory)/payment-processor.sqlite", holder: "payment-processor",
                migrations: PaymentProcessorSchema.migrations,
                logger: logger)
        } catch {
            throw StartupError(ProcessExit(rawValue: error.exitCode) ?? .bug, error.message)
        }
    }
}
