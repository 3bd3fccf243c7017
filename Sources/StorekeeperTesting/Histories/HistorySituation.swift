/// A situation in a generated history.
///
/// A test counts the situations, to check that each situation occurs.
public enum HistorySituation: String, CaseIterable, Sendable {
    // Periods and changes of a subscription.
    case renewal, earlySignedRenewal, loneRenewal, resubscription, recoveryWithoutGap
    case upgradeWithFlag, upgradeWithoutFlag, upgradeWithoutSuccessor, downgrade, sameLevelChange, changeAtPurchase
    case extendedPeriod, missingTransaction, monthlyPlan, missingExpiry
    // Two transactions of a chain at the same instant.
    case restoredRecord, boughtAgainAtOnce, changeWithoutFlagAtOnce
    // A situation that is impossible in the App Store.
    case chainInTwoGroups
    // Ownership and environment.
    case familyShared, assigned, unknownOwnership, missingOwnership
    case severalEnvironments, sameIDInTwoEnvironments, severalGroupIDs, severalChainsOfProduct
    // Refunds.
    case refundOfCurrentPeriod, refundOfPastPeriod, refundOfFuturePeriod, refundAtPurchase, refundReversed
    case refundOfUpgraded, familyRevoked, assignmentRevoked, partialRefund
    case seatAddition, seatAdditionUnknownToOlder, seatsRefunded, allSeatsRefunded
    case movedToBundle, movedToUnknownBundle, leftBundle
    // Copies.
    case severalCopies, equalSignedDate, identicalCopies
    // Renewal infos.
    case noRenewalInfo, renewalOn, renewalOff, scheduledChange, expiredWithIntent, unknownIntent
    case grace, graceWithoutRetry, graceGivenUp, lingeringGrace, graceWithoutRetryMember
    case billingRetry, billingRetryBeyondEnd, staleRenewalInfo, severalRenewalInfos, equalSignedRenewalInfos
    case renewalInfoBeforePeriod, cancelledBeforePeriod, renewalInfoOfEarlierGap
    case graceGivenUpWithoutRetryMember, graceFetchedAgain, graceDateVanished
    case unpairedRenewalInfo, renewalInfoOfAnotherDownload, renewalInfoOfRenewalBefore, unknownAutoRenewStatus
    case statusOfGrace, otherStatus
    // One-time purchases.
    case nonConsumable, nonConsumableTwice, nonConsumableRevoked
    case restoredCopy, restoredCopyOfRefunded, restoredCopyRefunded, restoredCopyAlone
    case nonRenewingOwned, nonRenewingParallel, nonRenewingExtend, nonRenewingRevoked, nonRenewingQuantity
    case consumable, consumableQuantity, consumableRefunded, consumableRefundReversed, consumableGrants
    case unknownType, severalDownloads
    // The catalog.
    case conflictingType, conflictingTypeInChain
    case productNotInCatalog, levelNotInCatalog, feature
}
