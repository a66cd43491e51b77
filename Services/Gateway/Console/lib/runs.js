// Runs of `storebus chaos run` that have reported themselves.
import { strings } from '../strings.pages.js';
import { number, words } from './format.js';

const text = strings.run;
const SILENT = 15000;

export const isOver = run => run.phase === 'ended';
export const isGoing = run => !isOver(run) && Date.now() - Date.parse(run.updatedAt) < SILENT;

// How it is, as a State: the name of a tone, and words.
export function stateOf(run) {
    if (!isOver(run)) return isGoing(run) ? { of: 'pending', says: text.phases[run.phase] || words(run.phase) } : { of: 'away', says: text.brokenOff };
    return { of: { valid: 'pass', invalid: 'fail' }[run.verdict] || 'warn', says: text.verdicts[run.verdict] || words(run.verdict) };
}

export const seconds = value => value === undefined ? '–' : text.seconds(number(Math.round(value * 10) / 10));
export const milliseconds = value => value === undefined ? '–' : seconds(value / 1000);
export const recovery = ({ worstRecoveryMilliseconds: value }) => milliseconds(value);
export const processOf = fault => fault.process ? text.process(fault.service, fault.process) : fault.service;
