/** `DE.13491208655302741918`; with `ENT` for several businesses of one owner. */
export const personShape = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;
/** The digits of a phone number, as the platform writes it. */
export const phoneShape = /^[1-9][0-9]{4,19}$/;
/** The identifier of a message (`wamid.…`). */
export const messageIdShape = /^[\w.:=+/-]{1,300}$/;
