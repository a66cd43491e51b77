// The English texts of the frame, of what all pages share, and of the first page. Those of the other pages: strings.pages.js.
export const strings = {
    brand: 'Storebus', skip: 'Skip to the content', menu: 'Menu', pages: 'Pages', app: 'App', storeName: 'Store', mainStore: 'Main store', signOut: 'Sign out', searchAll: 'Search everything',
    theme: { auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
    loading: 'Loading…', tryingAgain: 'Trying again…', unreachable: 'The gateway does not answer.', messages: 'Messages',
    away: 'Not connected, trying again. This page may be out of date.', live: 'Live', notLive: 'Not connected',
    cancel: 'Cancel', close: 'Close', copy: 'Copy', copied: 'Copied.', copyOf: id => `Copy ${id}`, json: 'JSON', jsonOf: name => `JSON of ${name}`, selected: 'Selected; copy it with the keyboard.', save: 'Save', add: 'Add', remove: 'Remove', yes: 'yes', no: 'no', more: 'More', all: 'all', search: 'Search', refresh: 'Refresh', actions: 'Actions',
    text: 'Text', asCLI: 'Command line', asCurl: 'curl', copyCLI: 'Copy as CLI', copyCurl: 'Copy as curl',
    sameAs: label => `${label}: commands`, commandsFor: label => `Copy “${label}” as CLI or curl`,
    done: label => `${label}: done.`,
    noPage: 'Page not found', noPageSays: 'The address may belong to another version.', pageFailed: 'The page could not be loaded.',
    noStore: name => `Store “${name}” not found`, noStoreSays: 'It was deleted or has expired. Available stores:',
    noSuchApp: app => `App “${app}” not found`, noSuchAppSays: 'Apps of the main store:', noSuchAppIn: store => `App of the store ${store}:`,
    noApp: 'No app yet', noAppSays: 'Import a catalogue to create one.',
    clockSays: (time, how) => `Store clock ${time}, ${how}`, frozen: 'frozen', realTime: 'real time', times: factor => `× ${factor}`,
    inboxTitle: (count, title) => `(${count}) ${title}`,
    shortcutsTitle: 'Keyboard shortcuts', shortcutsButton: 'Shortcuts',
    shortcuts: [['?', 'Show this list'], ['/', 'Search everything (also Ctrl K)'], ['f', 'Focus the filter'], ['j', 'Next row'], ['k', 'Previous row'], ['Enter', 'Open the row']],
    nav: {
        overview: 'Overview', inbox: 'Inbox', transactions: 'Transactions', subscriptions: 'Subscriptions', customers: 'Customers', products: 'Products', promotions: 'Promotions',
        store: 'Store page', eligibility: 'Eligibility', notifications: 'Notifications', time: 'Time', services: 'Services', bus: 'Bus', traces: 'Traces', chaos: 'Chaos', settings: 'Keys & settings',
    },
    faults: {
        inForce: 'Faults in force:', at: (fault, service) => `${fault} at ${service}`, rules: count => count === 1 ? '1 rule on the bus' : `${count} rules on the bus`, heal: 'Heal all', healed: 'All faults removed.',
    },
    recording: {
        begin: 'Record', beginSays: 'Record what you do as a scenario', count: count => `${count} recorded`, title: 'Recorded scenario', name: 'recorded in the console',
        says: 'Run it with: storebus scenario run console.scenario.yaml. Add what you expect of each step.', download: 'Download', end: 'End the recording', noCommand: label => `${label}: there is no command`,
    },
    sign: {
        title: 'Sign in', says: 'Use the admin key of this store, from the file admin.key of the data directory.', key: 'Admin key', button: 'Sign in',
        hint: 'storebus open signs you in without the key.', wrong: 'That key is not this store’s.', stale: 'The link has been used or is older than a minute. Sign in with the key.',
    },
    overview: {
        services: 'Services', allWell: 'all healthy', missing: names => `missing: ${names}`, clock: 'Store clock', next: 'Next event', nothingDue: 'none', inbox: 'Inbox', unfinished: 'Unfinished transactions', orMore: count => `${count}+`,
        feed: 'Recent events', pause: 'Pause', goOn: count => `Resume (${count} new)`, resume: 'Resume', quiet: 'No events yet.', rate: 'Events a minute',
        first: 'Next steps',
        steps: product => [product ? ['Buy a product as an app would', ['buy', [product], '--as', 'alice']] : ['Import your products', ['import', 'App.storekit']], ['Advance the clock by three months', ['time', 'advance', '3mo']], ['Forward notifications to your server', ['listen', '--forward-to', 'http://localhost:8080/apple']], ['Point Apple’s server library here', ['trust', 'python']]],
        storeSteps: 'Or tap Buy on the store page.',
    },
};
