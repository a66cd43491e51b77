// What a compact JWS says; it is not verified here.
export function claims(jws) {
    try {
        const bytes = Uint8Array.from(atob(jws.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));
        return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
        return undefined;
    }
}

export const pretty = value => JSON.stringify(value, null, 2);
