// The English texts of the pages that are loaded when they are opened.
import { strings } from './strings.js';

Object.assign(strings, {
    table: {
        rows: (shown, complete) => complete ? `${shown} rows` : `${shown} rows so far`, sort: 'Sort by', empty: 'Nothing here.', noMatch: 'Nothing matches.',
        rowActions: id => `Actions for ${id}`,
    },
    inbox: {
        says: 'What waits for a person: payment sheets, Ask to Buy, interrupted purchases, price increases, refund requests.', prompts: 'Waiting', empty: 'Nothing waits.', since: 'since',
        kind: { sheet: 'Payment sheet', signIn: 'Sign-in', askToBuy: 'Ask to Buy', interrupted: 'Interrupted purchase', appPurchase: 'Purchase of the app', storefrontChange: 'Another storefront', priceConsent: 'Price increase' },
        answer: { approve: 'Approve', decline: 'Decline', cancel: 'Cancel' }, errorLabel: 'Decline with', noError: 'no error of its own',
        price: (from, to) => `from ${from} to ${to}`, refund: 'Refund requests', refundOf: account => `Refund request of ${account}`, noRefunds: 'None waits for an answer.', grant: 'Grant', decline: 'Decline',
        share: 'Share', full: 'all of it', prorated: 'prorated', answered: 'Answered.', keys: 'A approves the first, D declines it.', degraded: names => `Not all is shown: ${names} does not answer.`,
    },
    transactions: {
        filter: 'Filter', hint: 'account= state= product~ id~ finished=no since=10m; several terms must all hold', unknown: term => `Not understood: ${term}`, loaded: count => `${count} loaded so far…`,
        caption: 'Transactions', id: 'Transaction', product: 'Product', account: 'Account', state: 'State', finished: 'Finished', date: 'Purchased', price: 'Price', why: 'Why', actions: 'Actions',
        refunded: 'refunded', revoked: 'revoked', clear: 'Clear what was bought', clearConfirm: app => `Removes every transaction of ${app}. Open purchases are cancelled. It cannot be undone.`,
        buy: 'Buy outside the app', buySays: 'A purchase in the App Store itself, as a redeemed code makes one.', quantity: 'Quantity', full: 'Only the first 100 000 are shown; filter to see others.',
    },
    transaction: {
        title: id => `Transaction ${id}`, unknown: 'There is no such transaction.', facts: 'As SKTestTransaction has it', rest: 'Around it', timeline: 'What happened', notifications: 'The customer’s notifications', noNotifications: 'None yet.',
        identifier: 'identifier', original: 'original', product: 'productIdentifier', state: 'state', purchaseDate: 'purchaseDate', expirationDate: 'expirationDate', cancelDate: 'cancelDate', autoRenew: 'autoRenewingEnabled', ask: 'pendingAskToBuyConfirmation', issue: 'hasPurchaseIssue', consent: 'pendingPriceIncreaseConsent',
        account: 'Account', device: 'Device', finished: 'Finished', deliveries: 'Deliveries', quantity: 'Quantity', price: 'Price', offer: 'Offer', error: 'Error', username: 'applicationUsername', token: 'appAccountToken', order: 'Order', revision: 'Revision', internal: 'Id', supersedes: 'Takes the place of', revocation: 'Taken back',
        jws: 'Signed', jwsSays: 'The JWS as the App Store Server API signs it.', show: 'Sign and show', claims: 'What it says', token_: 'The text',
        subscription: 'Its subscription', lastEvents: 'seen live', onTheBus: 'On the bus', onTheBusSays: id => `Messages that hold ${id}, as they pass.`,
    },
    act: {
        approve: 'Approve', decline: 'Decline', resolve: 'Resolve', refund: 'Refund', revoke: 'Revoke', reverse: 'Reverse the refund', finish: 'Finish', redeliver: 'Redeliver', redelivered: 'It is given to the app’s observers once more.', remove: 'Delete', ask: 'Ask for a refund', asked: 'The request is in the inbox.',
        refundConfirm: 'The customer gets the money back, and the apps lose what it gave.', revokeConfirm: 'The apps lose what it gave; no money goes back.', removeConfirm: id => `Transaction ${id} is removed for good.`,
        cancelSub: 'Cancel', resumeSub: 'Resume', renew: 'Renew now', expire: 'Expire', failNext: 'Fail next renewal', resolveBilling: 'Resolve billing', extend: 'Extend', days: 'Days', expireConfirm: 'Ends the present period now, for good.',
    },
    subscriptions: {
        kinds: { trial: 'free trial', paid: 'paid', grace: 'grace period', retry: 'billing retry' }, pale: 'Pale: still to come. The line is now.', empty: 'No subscription yet.', renews: price => `renews for ${price}`, ends: 'ends', group: 'Group', next: 'Renews as', purchased: 'Period since', grace: 'Grace until', allOfThem: 'All subscriptions', before: 'Page before', after: 'Next page',
    },
    customers: {
        accounts: 'Accounts', devices: 'Devices', newAccount: 'New account', create: 'Make it', created: account => `${account} is there.`, newDevice: 'New device', addDevice: 'Make it', isSet: 'Set',
        settings: 'Set for this account', inForce: 'In force', notSet: 'not set', simulated: 'Errors that requests meet', history: 'Transactions', reset: 'Forget what is set', resetConfirm: account => `${account} behaves as the app’s default again. What it bought stays.`,
        clear: 'Clear what it bought', clearConfirm: (account, app) => `Removes every transaction of ${account} in ${app}. It cannot be undone.`,
        platform: 'Platform', system: 'System', setSystem: 'Set', install: 'Install', uninstall: 'Uninstall', uninstallConfirm: (app, device) => `Deletes ${app} from ${device}, with what it has set there. Purchases stay.`, deleteConfirm: device => `Forgets ${device}: its apps, what they have set, and what has begun on it. Purchases stay.`,
        change: 'Change', launched: 'launched', notLaunched: 'not launched yet', version: 'Version', promoted: 'Promoted purchases',
    },
    products: {
        caption: count => `Products: ${count}`, identifier: 'Product', name: 'Name', type: 'Type', price: 'Price', intro: 'Introductory offers', storefront: 'Storefront', appsOwn: 'the app’s default', back: 'All products',
        importTitle: 'Import a catalogue', importSays: 'A .storekit file or Storebus’s own JSON. It is looked at first; the whole file takes effect or nothing does.', file: 'File', import: 'Import', importConfirm: (file, app) => `${file} becomes the catalogue of ${app}, in place of the present one.`,
        count: 'Products', groups: 'Subscription groups', applied: 'Settings applied', ignored: 'Settings ignored',
        explain: 'Why it can be bought or not', explainSays: 'Any identifier, also one an app was told is invalid.', why: 'Explain', available: 'Can be bought', reasons: 'Because', details: 'In detail', promotion: 'Promotion', promoted: 'can be promoted',
        about: 'As it was imported', reference: 'Reference name', family: 'Family Sharing', state: 'State', period: 'Period', group: 'Group', level: 'Level', localizations: 'Names and descriptions', locale: 'Locale', description: 'Description', offers: 'Offers', kind: 'Kind', offer: 'Offer', prices: 'Prices', pricesOf: count => `Prices in ${count} storefronts, 30 at most are shown`,
    },
    promotions: {
        says: 'What the store page shows, as set up for all customers; a device’s own choice comes before it.', default: 'Order and visibility', save: 'Save the order', saved: 'Saved.', hide: 'Hide', show: 'Show', hidden: 'hidden', isPromoted: 'promoted', takeOut: item => `Take ${item} out`,
        preview: 'Nothing is set up yet: this is the catalogue’s order. The first change sets it up.', gripHint: 'Drag the grip, use the buttons, or press Space on the grip, then arrows; Escape puts it back.',
        grip: (item, place, count) => `Move ${item}, ${place} of ${count}`, up: item => `Move ${item} up`, down: item => `Move ${item} down`, top: item => `Move ${item} to the top`,
        lifted: (item, place, count) => `${item} lifted, ${place} of ${count}. Arrows move it, Space puts it down, Escape puts it back.`, at: (item, place, count) => `${item}, ${place} of ${count}.`, dropped: (item, place, count) => `${item} put down, ${place} of ${count}.`, putBack: item => `${item} is where it was.`, movedTo: (item, place, count) => `${item} moved, ${place} of ${count}.`,
        featured: 'Featured tab', featuredSays: 'One tab of all apps. A device shows of it what is on its page, too.', noneFeatured: 'Nothing of this app is featured.', feature: 'Feature', unfeature: 'Do not feature', isFeatured: 'featured', isShown: 'shown', notInOrder: 'not in the order, so on no page', tabShows: ids => `The store page’s featured tab shows ${ids}.`, tabIsEmpty: 'The store page’s featured tab shows nothing of this app.',
        device: 'On one device', deviceSays: 'What the app has set there with SKProductStorePromotionController.', choose: 'choose a device', visibility: 'Visibility', visibilityOf: item => `Visibility of ${item}`, reset: 'Put back',
        images: 'Images', imagesSay: 'PNG or JPEG, 1024 × 1024. A product is promoted once its image is approved.', noImage: 'no image', imageOf: item => `Promotional image of ${item}`, file: 'Image', upload: 'Upload', reason: 'Reason', approve: 'Approve', reject: 'Reject',
    },
    store: {
        says: 'The App Store as a customer sees it on a device. Opening it opens a session of the store, as a device would.', open: 'Open', page: 'Product page', featured: 'Featured', tabs: 'Store', buy: 'Buy', owned: 'owned', empty: 'Nothing is promoted here.', noMatch: 'Nothing found.', searchLabel: 'Search the store', who: 'Who, and where',
        outcome: { openApp: 'The app is opened, with the purchase in it.', downloading: 'The app is not there and is being downloaded; the purchase waits for its first launch.', promptBuyApp: 'The customer is asked to buy the app first: see the inbox.', promptUpgrade: 'The app is too old: the customer is asked to upgrade it.' },
        intents: 'Purchases that began in the store', noIntents: 'None yet.', source: source => `from ${source}`, until: 'until', testLink: 'Test link', testSays: 'Opens a purchase of a product, also of one that is not for sale yet. Hold the code before a camera, or send the link.', tap: 'Open it on this device', qr: id => `QR code of the test link of ${id}`,
        decide: { continue: 'Continue', defer: 'Defer', cancel: 'Cancel' }, decideSays: 'What the app would answer.', degraded: names => `Not all is shown: ${names} does not answer.`,
    },
    eligibility: {
        says: 'Whether a customer gets an introductory offer, and which rule and transaction decide. Asked as the app on the device would.', ask: 'Ask', answer: 'Answer', rule: 'Rule', decided: 'Decided by', used: 'Used for', group: 'Group', caption: account => `Introductory offers of ${account}`, empty: 'The catalogue has no subscription with an introductory offer.',
        rules: { newSubscriber: 'never subscribed in this group', lapsedWithoutOffer: 'subscribed once, without an offer', offerUsed: 'an offer of this group was used', offerReserved: 'a purchase with the offer is under way', subscribed: 'subscribed now', inGracePeriod: 'in the grace period', inBillingRetryPeriod: 'billing is being tried again', historyUnavailable: 'the history could not be read' },
        whatIf: 'What if', whatIfSays: 'Add a purchase outside the app, and ask again. It is a real one of this store; delete it on the transactions page.', add: 'Add the purchase',
    },
    notifications: {
        endpoint: 'Endpoint', none: 'No endpoint: notifications are kept.', url: 'URL', retry: 'Retries', timeout: 'Timeout in ms', shuffle: 'Send what is due together in a random order', duplicate: 'Send what was delivered once more', put: 'Use this endpoint', delete: 'Remove it', deleteConfirm: 'What is due waits for the next endpoint.',
        list: 'Notifications', type: 'Type', at: 'When', account: 'Account', state: 'State', attempts: 'Attempts', next: 'Next try', empty: 'None yet.', latency: 'Answered in', code: 'Answer', body: 'Body', resend: 'Resend', payload: 'What it says', transaction: 'Its transaction', renewal: 'Its renewal information', noAttempts: 'Not sent yet.', back: 'All notifications', more: 'Older ones', newest: 'Newest',
        trigger: 'Trigger', triggerSays: 'What it tells of happens in the store, to a new account unless you name one. With a wrong signature it is only sent.', onlySend: 'Only send it; nothing in the store changes', subtype: 'Subtype', of: 'Transaction', break: 'Break', whole: 'signed well', result: 'Outcome', listen: 'A server on this machine can take them with', ms: value => `${value} ms`,
    },
    time: {
        now: 'Now', next: 'Due next', nothing: 'Nothing is due.', rate: 'Rate', frozen: 'Frozen', since: 'This rate since', day: '+ 1 day', week: '+ 1 week', month: '+ 1 month', year: '+ 1 year', toNext: 'To the next event', advance: 'Advance', to: 'To a date', toLabel: 'Instant', go: 'Go there', freeze: 'Freeze', thaw: 'Let it run', real: 'Real time', factor: 'Seconds of the store in one of the wall', named: 'A month of 30 days takes', set: 'Set the rate',
        happened: 'What happened on the way', moved: (from, to, count) => `${from} → ${to}: ${count} events`, quiet: 'Nothing was due.', cut: 'Only the first are shown.', length: 'How far, such as 36h, 10d, 3mo',
        back: until => `The clock goes back to ${until}. Nothing that has happened is undone, and nothing that was billed is billed again.`,
        ahead: 'What lies ahead', aheadSays: 'Of the subscriptions that run.', renews: 'renews', ends: 'ends', graceEnds: 'grace ends', retries: 'billing is tried again', confirm: until => `Everything that falls due until ${until} happens, each once. It cannot be undone.`,
    },
    services: {
        says: 'The instances on the bus, with their checks and what each endpoint has done since it began.', bus: 'Bus', missing: 'Missing', since: 'Since', version: 'Version', inFlight: 'In flight', checks: 'Checks', endpoints: 'Endpoints', endpoint: 'Endpoint', requests: 'Requests', errors: 'Errors', average: 'Average', last: 'Last error', perSecond: 'Requests a second', p50: 'p50', p99: 'p99', route: 'Route', http: 'HTTP requests of this gateway', calls: 'Calls of this gateway to the services', none: 'No endpoint was asked yet.', ms: value => `${value} ms`, upTo: value => `≤ ${value}`,
        map: 'Map', mapSays: names => `Map: the bus, and on it ${names}. The table below says the same.`, inWords: 'The map in words', service: 'Service', instances: 'Instances', states: 'States', toBus: 'To the bus', fromBus: 'From the bus', perSecondShort: value => `${value}/s`, quantiles: 'Times are those of this gateway’s calls, its own those of its HTTP requests. An edge has the messages a second in each direction.', noTraffic: 'Messages a second are not known.', instance: 'Instance',
        drain: 'Drain', drainConfirm: (name, id) => `${name} ${id} takes no more requests, finishes those it has, and ends. Its supervisor starts it again.`, only: name => `It is the only instance: until it is back, what needs ${name} waits or is refused.`, onlyGateway: 'It is the only gateway: this console is away until it is back.',
        draining: 'draining', drains: (name, id) => `${name} ${id} finishes what it has.`, ended: (name, id) => `${name} ${id} has ended; its supervisor starts it again. Should it stay away, look at its log: storebus logs ${name}.`, isBack: (name, id, seconds) => `${name} is back as ${id}, after ${seconds} s.`, drained: 'Drained',
    },
    bus: {
        says: 'The broker that all services speak through: what it carries, who is connected, and the messages themselves.',
        connections: 'Connections', subscriptions: 'Subscriptions', in: 'In', out: 'Out', perSecond: value => `${value}/s`, pending: 'Pending', pendingSays: 'accepted, and not written yet', inSays: 'messages to the bus', outSays: 'messages from the bus', everConnected: count => `${count} since its start`, slow: 'Slow consumers', slowSays: 'closed since its start',
        rates: 'Rates', messages: 'Messages a second', pendingBytes: 'Bytes pending', ago: '2 minutes ago', now: 'now',
        facts: 'Broker', server: 'Id', version: 'Version', since: 'Since', uptime: 'Up for', allIn: 'To the bus', allOut: 'From the bus', total: (messages, size) => `${messages} messages, ${size}`, cpu: 'Processor', percent: value => `${value} %`, memory: 'Memory', lag: 'Loop lag', milliseconds: value => `${value} ms`, faultInjection: 'Fault injection', possible: 'possible', off: 'off', draining: 'It is stopping: no more connections are taken.',
        noResponders: 'No responder', noInterest: 'No subscriber', noEligible: 'No eligible member', dropped: 'Dropped', denied: 'Not permitted', authFailures: 'Sign-ins refused', replaced: 'Replaced', stale: 'Stale connections',
        subjects: 'Subjects', subject: 'Subject', queue: 'Queue', subscribers: 'Subscribers', rate: 'A second', delivered: 'Delivered', subjectsFilter: 'Find a subject or queue', subjectsSay: 'Delivered counts the present subscribers: it falls when one leaves.',
        states: { open: 'Open', closed: 'Closed' }, number: '#', name: 'Name', subs: 'Subscriptions', toBus: 'To the bus', fromBus: 'From the bus', idle: 'Idle', start: 'Since', stop: 'Closed', reason: 'Why', unnamed: 'without a name', cutOff: (shown, total) => `${shown} of ${total} are shown.`, instance: id => `instance ${id}`,
        reasons: {
            bye: 'it said goodbye', eof: 'it hung up', slow_consumer: 'it did not take what was sent to it', stale: 'it did not answer pings', shutting_down: 'the broker stopped', replaced: 'the same instance connected again', chaos: 'cut by fault injection', http: 'it spoke HTTP', tls: 'it spoke TLS',
            auth_required: 'it began without signing in', auth_failed: 'its credentials were refused', auth_timeout: 'it did not sign in in time', bad_frame: 'its bytes were no frame', bad_header: 'a header was not understood', bad_member: 'a header’s member was not understood', protocol_state: 'it did something at the wrong time', header_too_large: 'a header was too large', body_too_large: 'a body was too large', version: 'it speaks another version', too_many_conns: 'too many connections', internal: 'a bug of the broker',
        },
        messagesTitle: 'Messages', pattern: 'Subject', patternHint: '* is one token, > the rest', holds: 'Holds the text',
    },
    tap: {
        title: 'Live tap', start: 'Start', pause: 'Pause', goOn: 'Go on', clear: 'Clear', states: { off: 'not started', opening: 'opening', open: 'listening', lost: 'connection lost, trying again', paused: 'paused: what passes now is not kept' },
        count: (shown, all) => shown === all ? `${all} came.` : `${all} came, ${shown} are shown.`, missed: count => `${count} missed: more passed than is sent to a browser.`, waiting: count => `${count} new wait until you leave the list.`, quiet: 'Nothing passed yet.', notStarted: 'Shows each message as it passes, and takes nothing away. Secrets are left out; replies to private inboxes cannot be read.',
        reply: 'wants a reply', noBody: 'Without a body.', cut: size => `Cut: it has ${size}.`, trace: 'trace', traceLink: 'Messages of this trace', actor: 'for',
    },
    settings: {
        keys: 'API keys', keysSay: 'The secret is shown once.', make: 'Make a key', kind: 'Kind', kinds: { api: 'api: the app’s server', sharedSecret: 'sharedSecret: receipts', subscriptionOffer: 'subscriptionOffer: promotional offers', inAppPurchase: 'inAppPurchase: App Store Server API' }, id: 'Key', made: 'Made', takeBack: 'Take back', takeBackConfirm: id => `What uses key ${id} is refused from now on.`, once: 'Copy it now, it is not shown again.', secret: 'Secret', publicKey: 'Public key', issuer: 'Issuer',
        server: 'App Store Server API', environment: 'Environment', appAppleId: 'App Apple ID', limits: 'Rate limits', limitsOfEach: 'as set for each endpoint', faults: 'Faults', faultsSay: 'The next requests of the app’s server fail.', path: 'Path', anyPath: 'any', errorCode: 'Error code', outcome: 'Or outcome', times: 'Times', addFault: 'Add the fault', clearFaults: 'Remove all', noFaults: 'None.',
        signing: 'Signing', root: 'Download the root certificate', ocsp: 'OCSP answers', setOcsp: 'Set', rotate: 'Replace', rotateConfirm: 'What was signed before is still valid; new payloads have another certificate.', leaf: 'the leaf', intermediate: 'the intermediate',
        app: 'The app', name: 'Name', price: 'Price of the app', currency: 'Currency', version: 'Current version', since: 'Promoted purchases since version', released: 'In the store', agreements: 'Agreements are active', grace: 'Billing grace period', limit: 'Unfinished limit', all: 'all',
        reset: 'Start over', resetSays: 'Clears what all customers did in this app, and sets its clock to the wall’s.', resetConfirm: app => `What customers did in ${app} is gone; catalogue, settings, accounts and devices stay. It cannot be undone.`,
    },
    chaos: {
        says: 'Faults of the bus between the services, put in force by hand, and the runs that break the store by a seed and check what survives.',
        matrix: 'Faults of the bus', matrixSays: 'A button puts a fault of a service in force or takes it back, and shows how many messages it has struck. Arrow keys go from one to the next.', service: 'Service', everyService: 'every service’s messages', off: 'off', struckOf: (struck, matched) => `${struck} of ${matched}`,
        began: fault => `${fault} is in force.`, ended: fault => `${fault} is taken back.`, isOff: 'Fault injection is off: the broker takes faults only when it was started with STOREBUS_CHAOS=1. Stop the store, and start it with:',
        presets: 'Presets', preset: { slow: 'Slow network', lossy: 'Lossy network', twice: 'Everything twice', queue: 'Payment queue cut off', processor: 'Payment processor cut off' },
        presetSays: { slow: 'Three in ten messages of all services are late by a quarter of a second.', lossy: 'One in five messages of all services is lost.', twice: 'Three in ten messages of all services come twice.', queue: 'No purchase is taken; with its key it is sent again.', processor: 'Purchases stay purchasing until charges are answered.' },
        counts: 'Struck since the rules were set', seed: 'Seed', rules: 'Rules on the bus, those of the faults above and those of others, such as a run’s', noRules: 'No rule on the bus', action: 'Action', subject: 'Subject', from: 'From', to: 'To', share: 'Share', length: 'Length', matched: 'Matched', struck: 'Struck',
        processes: 'Faults of processes', processesSay: 'The gateway has no processes. These are commands on the machine of the store; a killed or restarted process is started again by the store, a paused one goes on when all is healed there.', fault: 'Fault',
        runs: 'Runs', runsSay: 'storebus chaos run buys, breaks, heals and checks; it reports itself here while it goes on. The gateway keeps the last 50.', run: 'Run', state: 'State', began_: 'Began',
    },
    run: {
        title: id => `Run ${id}`, back: 'All runs', missing: 'There is no such run', missingSays: 'The gateway keeps the last 50 runs. A run that goes on shows up with its next report.',
        phase: 'Phase', phases: { warmUp: 'warming up', faults: 'faults', healed: 'healed', quiet: 'open requests get their outcome', final: 'reading everything', ended: 'ended' }, brokenOff: 'broken off', verdict: 'Verdict', verdicts: { valid: 'valid', invalid: 'invalid', unknown: 'unknown' },
        elapsed: (elapsed, length) => `${elapsed} s, faults for ${length} s`, operations: 'Operations', parts: (succeeded, declined, failed) => `${succeeded} succeeded, ${declined} declined on purpose, ${failed} failed`, lost: 'Lost', doubleCharges: 'Double charges', recovery: 'Worst recovery',
        timeline: 'Timeline', succeeded: 'succeeded', declined: 'declined on purpose', refused: 'refused', unknown: 'unknown outcome', p50: 'latency p50', p99: 'latency p99', band: 'fault in force', at: (fault, service) => `${fault} of ${service}`, since: from => `since ${from}`, fromTo: (from, to) => `${from} to ${to}`,
        said: (succeeded, declined, refused, unknown, faults, middle, worst) => `${succeeded} requests succeeded, ${declined} were declined on purpose, ${refused} were refused, ${unknown} have an unknown outcome. ${faults} ${faults === 1 ? 'fault' : 'faults'}. p99 is ${middle} in the middle of all steps, ${worst} in the slowest.`,
        steps: 'The timeline as a table', second: 'Second', faults: 'Faults', number: 'No.', fault: 'Fault', service: 'Service', from: 'At', lasted: 'Lasted', meanwhile: 'Meanwhile', recovered: 'Recovery', inForce: 'in force', instant: 'an instant', away: 'not recovered', notInjected: reason => `not injected: ${reason}`, process: (service, number) => `${service} ${number}`, none: operations => `${operations} operations, none failed`, effect: (parts, operations) => `${parts} of ${operations} operations`, effects: { refused: count => `${count} refused`, unknown: count => `${count} without an answer`, retried: count => `${count} sent again`, slow: count => `${count} slow` }, faultsSay: 'Faults. Meanwhile is from the fault’s begin to its recovery; an operation under two faults counts for both.',
        kinds: 'Kinds of faults', drawn: 'Drawn', services: 'Services, or why none', median: 'Recovery p50', worst: 'Recovery max', ms: value => `${value} ms`, seconds: value => `${value} s`,
        board: 'Services', state: 'State', up: 'answers', down: 'away', underNow: 'Faults now', restarts: 'Restarts', last: 'Last recovery', invariants: 'Invariants', invariantsSoFar: 'Invariants that can be judged so far', invariant: 'No.', holds: 'What holds', outcome: 'Outcome', examined: 'Facts', violations: 'Violations',
        replay: 'Again', replaySays: 'This command gives the same faults at the same moments.', about: 'What was asked for', workload: 'Workload', rate: 'Rate', perSecond: rate => `${rate} a second`, customers: 'Customers', each: (customers, devices) => `${customers}, ${devices} devices each`, targets: 'Targets', database: 'Database', several: 'Processes', one: 'one of each service', of: (count, service) => `${count} of ${service}`, version: 'Version', commit: commit => `commit ${commit}`, machine: 'Machine', cores: count => `${count} cores`, memory: size => `${size} GiB`, updated: 'Reported', report: 'Report', found: 'Violations', expected: 'Expected', actual: 'Found', subject: 'Subject',
    },
});

export { strings };
