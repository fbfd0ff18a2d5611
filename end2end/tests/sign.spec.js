// Signing up, in and out.

import { PASSWORD, expect, newEmail, signUp, test } from '../support/test.js';

async function fill(page, email, password) {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
}

test('a new person signs up, signs out, and signs in again', async ({ page, server }) => {
    const email = newEmail();
    await page.goto('/sign-up');
    await fill(page, email, PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('banner')).toContainText(email);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page).toHaveURL('/sign-in');
    await expect(page.getByRole('banner')).not.toContainText(email);
    // The session is gone from the server too, not only from this browser.
    const sessions = await server.query(
        'select 1 from sessions join users on users.id = user_id where email = ?',
        email,
    );
    expect(sessions).toEqual([]);
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');

    await fill(page, email, PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('banner')).toContainText(email);
});

test('a wrong password signs nobody in and keeps the e-mail address', async ({ page, server, context, console }) => {
    console.allow(/status of 422/);
    const { email } = await signUp(server, context);
    await context.clearCookies();
    await page.goto('/sign-in');
    await fill(page, email, 'wrong horse');
    await page.getByRole('button', { name: 'Sign in' }).click();

    await expect(page.getByRole('alert')).toContainText('No account has this e-mail address and this password.');
    await expect(page.getByLabel('E-mail')).toHaveValue(email);
    await expect(page.getByLabel('E-mail')).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByLabel('Password')).toHaveValue('');
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('recharge_session');
});

test('an address that has an account cannot sign up again', async ({ page, server, context, console }) => {
    console.allow(/status of 422/);
    const { email } = await signUp(server, context);
    await context.clearCookies();
    await page.goto('/sign-up');
    // Upper and lower case are one mailbox.
    await fill(page, email.toUpperCase(), PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect(page.getByRole('alert')).toContainText('There is an account with this e-mail address.');
    expect(await server.query('select id from users where lower(email) = ?', email)).toHaveLength(1);
});

test('a password of seven characters is refused beside its field', async ({ page, server, console }) => {
    console.allow(/status of 422/);
    const email = newEmail();
    await page.goto('/sign-up');
    await fill(page, email, '1234567');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect(page.getByLabel('Password')).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByLabel('E-mail')).toHaveValue(email);
    expect(await server.query('select id from users where email = ?', email)).toEqual([]);
});

test('a protected page leads to the sign-in and back', async ({ page, server, context }) => {
    const { email } = await signUp(server, context);
    await context.clearCookies();
    await page.goto('/history');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
    await expect(page.getByText('Sign in to continue.')).toBeVisible();
    await fill(page, email, PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL('/history');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('History');
});
