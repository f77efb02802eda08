/* SQL text to tokens. Which words are keywords is said in keywords.cc.

   Every byte of the input is matched by a rule; a token that cannot be is an error in the parse
   context, which ends the text there. */

%option reentrant noyywrap nodefault nounput noinput never-interactive 8bit
%option prefix="braid_sql_"

%top{
#include "engine/sql/parse_context.h"
#include "grammar.h"
}

%{
#define YY_DECL                                                                  \
  braid::sql_grammar::Parser::symbol_type braid_sql_lex(yyscan_t yyscanner,      \
                                                        braid::ParseContext& context)

using Parser = braid::sql_grammar::Parser;
%}

DIGITS      [0-9]+
WORD_START  [A-Za-z_\x80-\xff]
WORD_PART   [A-Za-z0-9_\x80-\xff]

%%

%{
  const auto matched = [&] { return std::string_view(yytext, static_cast<size_t>(yyleng)); };
%}

[ \t\r\n\f\v]+                   { context.Take(matched()); }
"--"[^\n]*                       { context.Take(matched()); }
"/*"([^*]|\*+[^*/])*\*+"/"       {
    const braid::SourceRange range = context.Take(matched());
    if (yytext[2] == '+') return context.RefuseToken(range, "hints (/*+ … */) are not supported; "
        "options stand in WITH (…) of the table, or in SET");
  }
"/*"                             { return context.UnclosedComment(matched()); }

'([^']|'')*'                     { return context.StringToken(matched()); }
'([^']|'')*                      { return context.RefuseToken(context.Take(matched()),
                                     "this text is not closed; a ' is missing"); }
[xX]'[^']*'                      { return context.BytesToken(matched()); }
`([^`]|``)*`                     { return context.QuotedNameToken(matched()); }
`([^`]|``)*                      { return context.RefuseToken(context.Take(matched()),
                                     "this name is not closed; a ` is missing"); }
\"[^"\n]*\"?                     { return context.RefuseToken(context.Take(matched()),
                                     "text stands in single quotes: 'text'; names in backticks: `name`"); }

{DIGITS}                         { return context.NumberToken(Parser::token::INTEGER, matched()); }
{DIGITS}"."[0-9]*|"."{DIGITS}    { return context.NumberToken(Parser::token::DECIMAL, matched()); }
({DIGITS}("."[0-9]*)?|"."{DIGITS})[eE][+-]?{DIGITS} {
    return context.NumberToken(Parser::token::DOUBLE, matched());
  }
{DIGITS}{WORD_START}{WORD_PART}* { return context.RefuseToken(context.Take(matched()),
                                     "a name that starts with a digit stands in backticks"); }

{WORD_START}{WORD_PART}*         { return context.WordToken(matched()); }

"<=>"                            { return Parser::make_NULL_SAFE_EQUAL(context.Take(matched())); }
"<>"|"!="                        { return Parser::make_NOT_EQUAL(context.Take(matched())); }
"<="                             { return Parser::make_LESS_EQUAL(context.Take(matched())); }
">="                             { return Parser::make_GREATER_EQUAL(context.Take(matched())); }
"<"                              { return Parser::make_LESS(context.Take(matched())); }
">"                              { return Parser::make_GREATER(context.Take(matched())); }
"=="                             { return context.RefuseToken(context.Take(matched()),
                                     "equality is written ="); }
"="                              { return Parser::make_EQUAL(context.Take(matched())); }
"||"                             { return Parser::make_CONCATENATE(context.Take(matched())); }
"::"                             { return context.RefuseToken(context.Take(matched()),
                                     "a conversion is written CAST(value AS type)"); }
"+"                              { return Parser::make_PLUS(context.Take(matched())); }
"-"                              { return Parser::make_MINUS(context.Take(matched())); }
"*"                              { return Parser::make_STAR(context.Take(matched())); }
"/"                              { return Parser::make_SLASH(context.Take(matched())); }
"%"                              { return Parser::make_PERCENT(context.Take(matched())); }
"("                              { return Parser::make_LEFT_PARENTHESIS(context.Take(matched())); }
")"                              { return Parser::make_RIGHT_PARENTHESIS(context.Take(matched())); }
","                              { return Parser::make_COMMA(context.Take(matched())); }
"."                              { return Parser::make_DOT(context.Take(matched())); }
";"                              { return Parser::make_SEMICOLON(context.Take(matched())); }
<<EOF>>                          { return Parser::make_END_OF_TEXT(context.Take({})); }
.|\n                             { return context.RefuseToken(context.Take(matched()),
                                     braid::UnexpectedCharacter(matched())); }

%%
