// What a compact JWS says; it is not verified here.
export function claims(jws) {
    try {
        const bytes = Uint8Array.from(atob(jws.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));
        return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
        return undefined;
    }
}

// A text in it that is signed itself is shortened: what it says is beside it.
const short = value => typeof value === 'string' && value.length > 400 ? `${value.slice(0, 60)}… (${value.length})` : value;

export const pretty = value => JSON.stringify(value, (_, member) => short(member), 2);
