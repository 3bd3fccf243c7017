/// Something that happens in a generated history; a test counts them to see that none is left out.
public enum HistorySituation: String, CaseIterable, Sendable {
    // What the customer did with a subscription.
    case renewal, earlySignedRenewal, loneRenewal, resubscription, recoveryWithoutGap
    case upgradeWithFlag, upgradeWithoutFlag, upgradeWithoutSuccessor, downgrade, sameLevelChange, changeAtPurchase
    case extendedPeriod, missingTransaction, monthlyPlan, missingExpiry
    // Two transactions of a chain at one instant.
    case restoredRecord, boughtAgainAtOnce, changeWithoutFlagAtOnce
    // What no real chain is.
    case chainInTwoGroups
    // Whose it is, and where.
    case familyShared, assigned, unknownOwnership, missingOwnership
    case severalEnvironments, sameIDInTwoEnvironments, severalGroupIDs, severalChainsOfProduct
    // What was taken back.
    case refundOfCurrentPeriod, refundOfPastPeriod, refundOfFuturePeriod, refundAtPurchase, refundReversed
    case refundOfUpgraded, familyRevoked, assignmentRevoked, partialRefund
    // Copies.
    case severalCopies, equalSignedDate, identicalCopies
    // What the renewal info says.
    case noRenewalInfo, renewalOn, renewalOff, scheduledChange, expiredWithIntent, unknownIntent
    case grace, graceWithoutRetry, graceGivenUp, lingeringGrace, graceWithoutRetryMember
    case billingRetry, billingRetryBeyondEnd, staleRenewalInfo, severalRenewalInfos, equalSignedRenewalInfos
    case renewalInfoBeforePeriod, cancelledBeforePeriod, renewalInfoOfEarlierGap
    case graceGivenUpWithoutRetryMember, graceFetchedAgain, graceDateVanished
    case unpairedRenewalInfo, renewalInfoOfAnotherDownload, renewalInfoOfRenewalBefore, unknownAutoRenewStatus
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
