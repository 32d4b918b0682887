import type { DefinedTool } from '../../../src/tools/domain/equipment.ts';

/** Names and descriptions of 200 tools, as servers for an office list them. */
const catalogue = `
create_issue: Opens a new issue in a repository, with a title, a body and labels.
update_issue: Changes the title, body, labels or assignees of an issue.
close_issue: Closes an issue as completed or not planned.
list_issues: Lists issues of a repository, filtered by state, label or assignee.
add_issue_comment: Writes a comment on an issue or pull request.
search_code: Searches source code across repositories for a text or symbol.
get_file_contents: Reads a file of a repository at a branch or commit.
create_branch: Creates a branch from another one.
delete_branch: Deletes a branch that has been merged.
create_pull_request: Proposes to merge one branch into another.
merge_pull_request: Merges an approved pull request.
request_review: Asks developers to review a pull request.
submit_review: Approves a pull request or asks for changes.
list_commits: Lists commits of a branch with author and date.
compare_commits: Shows the diff between two commits or tags.
create_release: Publishes a release with notes and a tag.
list_releases: Lists published versions of a product with their notes.
run_workflow: Starts a continuous integration workflow.
get_workflow_logs: Downloads the logs of a failed build job.
cancel_workflow: Stops a running build.
list_vulnerabilities: Lists security alerts about dependencies.
dismiss_vulnerability: Dismisses a security alert with a reason.
fork_repository: Copies a repository into another account.
add_collaborator: Gives a developer access to a repository.
list_contributors: Lists who has contributed code, with counts.
create_event: Adds an appointment to a calendar.
update_event: Moves an appointment to another time or place.
delete_event: Cancels an appointment and informs its guests.
list_events: Lists the appointments of a day or week.
find_free_slot: Finds a time at which everybody is available.
invite_guest: Invites another guest to an existing appointment.
respond_to_invitation: Accepts or declines an invitation.
create_recurring_event: Adds a meeting that repeats every week or month.
set_working_hours: Sets the hours in which somebody can be booked.
set_out_of_office: Marks days of absence and answers invitations with a refusal.
list_rooms: Lists conference rooms with their seats and equipment.
book_room: Reserves a conference room.
release_room: Gives back a reserved conference room.
create_poll_for_dates: Lets people vote on possible dates.
share_calendar: Lets a colleague see somebody's calendar.
add_reminder: Reminds somebody before a deadline.
list_holidays: Lists public holidays of a country.
convert_time_zone: Converts a time between cities.
add_video_link: Adds a video conference to an appointment.
export_calendar: Exports a calendar as an ICS file.
import_calendar: Imports appointments from an ICS file.
create_booking_page: Makes a public page on which customers pick a slot.
list_bookings: Lists slots that customers have picked.
cancel_booking: Cancels a slot that a customer has picked.
get_attendance: Shows who took part in a meeting.
send_mail: Sends an email with attachments.
reply_to_mail: Replies to the sender of an email.
forward_mail: Forwards an email to somebody else.
search_mail: Searches the mailbox by sender, subject or words.
read_mail: Shows the text of an email.
archive_mail: Moves emails out of the inbox into the archive.
mark_as_spam: Reports an email as junk.
create_mail_filter: Sorts incoming emails by a rule.
delete_mail_filter: Removes a rule for incoming emails.
create_draft: Writes an email without sending it.
schedule_mail: Sends an email at a later time.
unsubscribe: Leaves a newsletter.
list_folders: Lists the folders and labels of a mailbox.
create_signature: Sets the closing lines under outgoing emails.
set_forwarding: Redirects all incoming emails to another address.
get_attachment: Downloads a file from an email.
create_mailing_list: Makes a group address for several people.
add_to_mailing_list: Adds a subscriber to a group address.
remove_from_mailing_list: Removes a subscriber from a group address.
send_campaign: Sends a newsletter to all subscribers.
get_campaign_statistics: Shows opens, clicks and bounces of a newsletter.
create_template: Saves a reusable text with placeholders.
list_templates: Lists reusable texts.
verify_address: Checks whether a mail address can receive.
snooze_mail: Hides an email until tomorrow or next week.
create_contact: Adds a person with phone and address to the customer base.
update_contact: Changes the phone, address or owner of a person.
merge_contacts: Joins duplicate entries of one person.
delete_contact: Erases a person from the customer base.
search_contacts: Finds people by name, company or phone number.
create_company: Adds an organization to the customer base.
list_companies: Lists organizations by industry or size.
create_deal: Adds a sales opportunity with an expected amount.
move_deal: Moves an opportunity to another stage of the pipeline.
lose_deal: Marks an opportunity as lost, with the competitor.
win_deal: Marks an opportunity as won.
forecast_revenue: Predicts sales for the quarter from the pipeline.
log_call: Records a telephone conversation with a customer.
add_note: Attaches a remark to a customer.
assign_owner: Makes a salesperson responsible for a customer.
list_activities: Shows what was last done for a customer.
create_quote: Writes an offer with prices for a customer.
send_quote: Sends an offer for signature.
list_leads: Lists new prospects that nobody has contacted.
score_lead: Rates how likely a prospect buys.
import_contacts: Imports people from a CSV spreadsheet.
add_tag: Tags a customer for segmentation.
create_segment: Groups customers by a condition.
get_satisfaction: Shows survey answers and the net promoter score.
send_survey: Asks customers for their opinion.
list_products: Lists articles of the shop with price and stock.
create_product: Adds an article to the shop.
update_price: Changes the price of an article.
get_stock: Shows how many pieces of an article are in the warehouse.
adjust_stock: Corrects the counted quantity after an inventory.
transfer_stock: Moves pieces between warehouses.
create_order: Places an order for a customer.
get_order_status: Shows where an order is and when it arrives.
cancel_order: Cancels an order before it ships.
change_delivery_address: Sends an order to another address.
create_return: Registers goods that a customer sends back.
approve_return: Accepts returned goods and their condition.
print_shipping_label: Prints a parcel label for a carrier.
track_parcel: Follows a parcel by its tracking number.
estimate_shipping: Calculates postage by weight and destination.
create_discount: Makes a coupon code with a percentage.
expire_discount: Ends a coupon code.
list_abandoned_carts: Lists baskets that were never bought.
get_bestsellers: Ranks articles by units sold.
list_reviews: Lists star ratings that buyers wrote.
reply_to_review: Answers a star rating in public.
create_supplier: Adds a vendor from whom goods are purchased.
reorder_goods: Orders supplies from a vendor when stock is low.
upload_product_photo: Adds a picture to an article.
publish_collection: Shows a set of articles on the home page.
create_invoice: Writes a bill for a customer.
send_invoice: Sends a bill by email.
void_invoice: Cancels a bill that was wrong.
list_unpaid_invoices: Lists bills that are overdue.
send_payment_reminder: Dunns a customer who has not paid.
record_payment: Books money that has arrived for a bill.
refund_payment: Pays money back to the card of a customer.
create_payment_link: Makes a link by which somebody pays with a card.
create_subscription: Charges a customer every month.
cancel_subscription: Ends a monthly charge.
change_plan: Upgrades or downgrades a monthly charge.
list_disputes: Lists chargebacks that banks have opened.
answer_dispute: Submits evidence against a chargeback.
get_balance: Shows the available funds of an account.
create_payout: Transfers funds to the bank account.
list_transactions: Lists bookings of a bank account.
categorize_transaction: Assigns a booking to a ledger account.
upload_receipt: Attaches a photographed receipt to an expense.
submit_expense: Claims travel costs for reimbursement.
approve_expense: Approves an employee's claim for reimbursement.
calculate_tax: Computes value added tax for a country.
file_tax_return: Hands in the tax declaration of a month.
export_ledger: Exports the bookkeeping for the accountant.
get_profit_and_loss: Shows income and costs of a period.
convert_currency: Converts an amount between currencies at today's rate.
upload_file: Stores a document in a folder of the drive.
download_file: Fetches a document from the drive.
search_files: Finds documents in the drive by words in them.
share_file: Gives somebody access to a document by a link.
revoke_share: Ends the access to a document.
move_file: Puts a document into another folder.
rename_file: Gives a document another title.
trash_file: Throws a document away.
restore_file: Brings a document back from the bin.
list_versions: Shows earlier states of a document.
restore_version: Returns a document to an earlier state.
create_folder: Makes a directory in the drive.
convert_to_pdf: Turns a document into a PDF.
extract_text: Recognizes the letters on a scanned page.
translate_document: Translates a document into another language.
summarize_document: Shortens a document to its main points.
request_signature: Asks somebody to sign a contract electronically.
get_signature_status: Shows who has already signed a contract.
create_spreadsheet: Makes a table with columns and rows.
append_row: Adds a row at the end of a table.
read_range: Reads cells of a table.
create_chart: Draws a diagram from a table.
create_presentation: Makes slides from an outline.
comment_on_document: Leaves a remark in the margin of a document.
get_storage_usage: Shows how many gigabytes of the drive are full.
create_employee: Adds a new hire with contract and salary.
update_salary: Changes what somebody earns.
terminate_employee: Ends a contract of employment.
request_vacation: Asks for days of leave.
approve_vacation: Grants days of leave.
get_vacation_balance: Shows how many days of leave remain.
report_sick: Reports an illness with its certificate.
clock_in: Starts the working time of today.
clock_out: Ends the working time of today.
correct_timesheet: Corrects recorded working hours.
get_overtime: Shows hours beyond the contract.
run_payroll: Pays the salaries of the month.
get_payslip: Shows the wage slip of a month.
create_job_posting: Advertises an open position.
list_applicants: Lists candidates for a position.
schedule_interview: Arranges a talk with a candidate.
reject_applicant: Turns a candidate down.
make_offer: Offers a candidate the position.
start_onboarding: Begins the checklist for a first day.
order_laptop: Orders a computer for an employee.
reset_password: Sends a new password for an account.
grant_application_access: Lets an employee use a program.
create_training: Plans a course for employees.
enroll_in_training: Puts an employee on the list of a course.
write_performance_review: Saves the yearly appraisal of an employee.
`;

/** Each tool has eight arguments with a sentence about each, as long definitions do. */
const details = [
  'account',
  'reference',
  'language',
  'reason',
  'priority',
  'visibility',
  'metadata',
  'requestId',
];
const about =
  'Optional. Leave it out to use what the administrator has set for the workspace; see the handbook about limits, ' +
  'formats and what happens if it is empty or does not fit.';
const properties = Object.fromEntries(details.map((name) => [name, { type: 'string', description: about }]));

export const toolsOfOffice: readonly DefinedTool[] = catalogue
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', description = ''] = line.split(': ');
    return {
      toolId: name,
      kind: 'external',
      settings: { toolkit: 'office', tool: name },
      offered: { name, description, parameters: { type: 'object', properties } },
    };
  });

/** Wishes of people in their own words, each with the tool for it. */
export const questions: readonly (readonly [question: string, tool: string])[] = `
Please open an issue about the crash in the login | create_issue
Close the issue about dark mode, we will not do it | close_issue
Which issues are assigned to Ana? | list_issues
Write a comment on the issue about colours | add_issue_comment
Where in the code is the function parseDate used? | search_code
Make a branch for the hotfix | create_branch
Open a pull request from hotfix into main | create_pull_request
Merge the pull request now | merge_pull_request
Who can review my pull request? Ask Ben | request_review
What changed between the commits of v1 and v2? | compare_commits
Publish a release with these notes | create_release
Why did the build fail? Show me the logs | get_workflow_logs
Stop the build that is running | cancel_workflow
Are there security alerts about our dependencies? | list_vulnerabilities
Give Carla access to the repository | add_collaborator
Put a dentist appointment into my calendar on Friday | create_event
Move the appointment to 3 pm | update_event
What appointments do I have this week? | list_events
When is everybody available for an hour? | find_free_slot
Decline the invitation for Monday | respond_to_invitation
Set up a meeting that repeats every week | create_recurring_event
Which conference rooms have ten seats? | list_rooms
Reserve a conference room for tomorrow | book_room
Let the team vote on dates for the party | create_poll_for_dates
Is Thursday a public holiday in Spain? | list_holidays
Add a video conference to the appointment | add_video_link
Who took part in the meeting yesterday? | get_attendance
I am on absence next week, mark me as out of office | set_out_of_office
Send an email to Dora with the contract attached | send_mail
Forward this email to the accountant | forward_mail
Search my mailbox for emails from the landlord | search_mail
This email is junk, report it | mark_as_spam
Send the email tomorrow at a later time | schedule_mail
I want to leave this newsletter | unsubscribe
Redirect all my incoming emails to my colleague | set_forwarding
How many people opened the newsletter? | get_campaign_statistics
Hide this email until next week | snooze_mail
Sort incoming emails from the bank by a rule | create_mail_filter
Add Mr Fox with his phone number to the customers | create_contact
There are two entries of the same person, merge the duplicates | merge_contacts
Erase this person from the customer base | delete_contact
Find the phone number of somebody by name | search_contacts
Add an opportunity of 5000 euros for the sales team | create_deal
We won the opportunity | win_deal
We lost the deal to a competitor | lose_deal
What sales do you predict for the quarter? | forecast_revenue
Record my telephone conversation with the customer | log_call
Write an offer with prices for Acme | create_quote
Which prospects has nobody contacted yet? | list_leads
Import the people from this spreadsheet | import_contacts
Ask our customers for their opinion in a survey | send_survey
What is our net promoter score? | get_satisfaction
Which articles are in the shop? | list_products
Change the price of the blue chair | update_price
How many pieces of the chair are in the warehouse? | get_stock
Move twenty pieces to the other warehouse | transfer_stock
Where is my order and when does it arrive? | get_order_status
Cancel my order, please | cancel_order
Send the order to another address | change_delivery_address
A customer wants to send back the goods | create_return
Print a label for the parcel | print_shipping_label
Where is the parcel with this tracking number? | track_parcel
How much is the postage to Norway? | estimate_shipping
Make a coupon with ten percent | create_discount
Which baskets were never bought? | list_abandoned_carts
Which articles sell the most units? | get_bestsellers
What star ratings did buyers write? | list_reviews
Write a bill for the customer | create_invoice
Which bills are overdue? | list_unpaid_invoices
Remind the customer who has not paid | send_payment_reminder
I want my money back on my card | refund_payment
Make a link so that she can pay with a card | create_payment_link
End the monthly charge of my subscription | cancel_subscription
Upgrade me to the bigger plan | change_plan
A bank has opened a chargeback, list them | list_disputes
What funds are available in the account? | get_balance
Transfer the funds to our bank account | create_payout
Claim my travel costs | submit_expense
Attach this receipt to the expense | upload_receipt
How much is the value added tax in France? | calculate_tax
Show me income and costs of last year | get_profit_and_loss
How many dollars are 100 euros? Convert the amount | convert_currency
Find the document about the lease in the drive | search_files
Share the document with my lawyer by a link | share_file
Bring the document back from the bin | restore_file
Turn the document into a PDF | convert_to_pdf
What letters are on this scanned page? | extract_text
Translate this document into Polish | translate_document
What are the main points of the document? | summarize_document
Has everybody signed the contract? | get_signature_status
Add a row to the table | append_row
Draw a diagram from the table | create_chart
Make slides from this outline | create_presentation
How many days of leave do I have? | get_vacation_balance
I would like to ask for leave in August | request_vacation
I am ill today, here is my certificate | report_sick
How many hours have I worked beyond my contract? | get_overtime
Show me my wage slip of May | get_payslip
Which candidates are there for the position? | list_applicants
I forgot my password | reset_password
`
  .trim()
  .split('\n')
  .map((line) => {
    const [question = '', tool = ''] = line.split(' | ');
    return [question, tool] as const;
  });
